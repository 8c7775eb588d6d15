// How the conformance client is authorized in the suite's scenarios about OAuth.
import { authorizationCode, clientCredentials, jwtBearer, oauthClient } from '@hawser/mcp/oauth';

const redirectUrl = 'http://localhost:3000/callback';
/** The document that the suite expects to be named; nothing is there. */
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
const registration = { client_name: 'hawser-conformance-client' };

/** Logs in without a user: the suite's authorization server redirects at once. */
async function openBrowser(/** @type {string} */ url) {
  const response = await fetch(url, { redirect: 'manual' });
  return /** @type {string} */ (response.headers.get('location'));
}

/** @type {Record<string, (context: Record<string, string>) => import('@hawser/mcp/oauth').Grant | Promise<import('@hawser/mcp/oauth').Grant>>} */
const grants = {
  'auth/basic-cimd': () => authorizationCode({ redirectUrl, openBrowser, registration, clientMetadataUrl }),
  'auth/pre-registration': ({ client_id: clientId, client_secret: clientSecret, issuer }) =>
    authorizationCode({ redirectUrl, openBrowser, client: { issuer, clientId, clientSecret } }),
  'auth/client-credentials-basic': ({ client_id: clientId, client_secret: clientSecret }) =>
    clientCredentials({ client: { issuer: 'any', clientId, clientSecret } }),
  'auth/client-credentials-jwt': async ({ client_id: clientId, private_key_pem: pem }) =>
    clientCredentials({ client: { issuer: 'any', clientId, privateKey: await importKey(pem) } }),
  'auth/wif-jwt-bearer': ({ client_id: clientId, valid_jwt: jwt }) =>
    jwtBearer({ client: { issuer: 'any', clientId }, assertion: () => jwt }),
  'auth/enterprise-managed-authorization': ({ client_id: clientId, client_secret: clientSecret, ...provider }) =>
    jwtBearer({
      client: { issuer: 'any', clientId, clientSecret },
      assertion: (request) => exchangeIdToken(provider, request),
    }),
};

/**
 * @param {string} scenario
 * @param {string} url
 * @param {Record<string, string>} context
 */
export async function authorizationFor(scenario, url, context) {
  const grant = (await grants[scenario]?.(context)) ?? authorizationCode({ redirectUrl, openBrowser, registration });
  return oauthClient(url, { grant });
}

/** @param {string} pem */
function importKey(pem) {
  const bytes = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
  return crypto.subtle.importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
}

/**
 * The identity provider turns the user's ID token into an assertion for the authorization server (RFC 8693).
 * @param {Record<string, string>} provider
 * @param {import('@hawser/mcp/oauth').AssertionRequest} request
 */
async function exchangeIdToken(provider, { issuer, resource, signal }) {
  const type = 'urn:ietf:params:oauth:token-type';
  const response = await fetch(provider.idp_token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: `${type}:id-jag`,
      subject_token: provider.idp_id_token,
      subject_token_type: `${type}:id_token`,
      client_id: provider.idp_client_id,
      audience: issuer,
      resource,
    }),
    signal,
  });
  return (await response.json()).access_token;
}
