// @ts-check

/**
 * Leaves packages outside that are installed or built. Those of this repository that are sources alone come along; needs the
 * condition `@hawser/source`.
 * @type {import('esbuild').Plugin}
 */
export const installedPackagesStayOutside = {
  name: 'installed-packages-stay-outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^@hawser\/(?!mcp\b)/.test(path) ? undefined : { path, external: true },
    ),
};
