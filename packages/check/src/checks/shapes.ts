import { isList, isObject, listOrEmpty, memberAt } from '@hawser/unknown-values/objects';
import { isOneOf } from './expectations.ts';

export const isText = (value: unknown) => value === undefined || typeof value === 'string';
export const isFlag = (value: unknown) => value === undefined || typeof value === 'boolean';

const LABEL = '[a-z](?:[a-z0-9-]*[a-z0-9])?';
const META_KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)?$`, 'i');

/** `_meta` is an object, and its keys follow the naming rules. */
export function isMeta(value: unknown): boolean {
  return value === undefined || (isObject(value) && Object.keys(value).every((key) => META_KEY.test(key)));
}

export function areIcons(value: unknown): boolean {
  return (
    value === undefined ||
    (isList(value) &&
      value.every(
        (icon) =>
          isObject(icon) &&
          typeof icon.src === 'string' &&
          isText(icon.mimeType) &&
          (icon.sizes === undefined || (isList(icon.sizes) && icon.sizes.every(isText))) &&
          isOneOf([undefined, 'light', 'dark'], icon.theme),
      ))
  );
}

/** The sources of icons that clients must not load. */
export function unsafeIconSources(icons: unknown): string[] {
  const sources = listOrEmpty(icons)
    .map((icon) => memberAt(icon, 'src'))
    .filter((source) => typeof source === 'string');
  return sources.filter((source) => !/^(https:|data:)/i.test(source));
}

export function areAnnotations(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { audience, priority, lastModified } = value;
  const isAudience = audience === undefined || (isList(audience) && audience.every(isRole));
  const isPriority = priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1);
  const isDate =
    lastModified === undefined || (typeof lastModified === 'string' && !Number.isNaN(Date.parse(lastModified)));
  return isAudience && isPriority && isDate;
}

function isRole(value: unknown): boolean {
  return value === 'user' || value === 'assistant';
}

export function isMimeType(value: unknown): boolean {
  return typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/.test(value);
}

export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

export function isUri(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(value);
}

/** A resource that is sent: a URI, and either text or base64. */
export function isResourceContents(value: unknown): boolean {
  if (!isObject(value) || !isUri(value.uri) || (value.mimeType !== undefined && !isMimeType(value.mimeType)))
    return false;
  const hasText = typeof value.text === 'string';
  return hasText ? value.blob === undefined : isBase64(value.blob);
}
