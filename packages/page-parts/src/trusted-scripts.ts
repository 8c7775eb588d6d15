interface TrustedTypes {
  createPolicy(name: string, rules: UrlPolicy): UrlPolicy;
}

interface UrlPolicy {
  createScriptURL(url: string): string;
}

/** Starts a worker of this page. Where the browser has trusted types, that needs a policy, which has this one script. */
export function workerStarter(policy: string, url: string): () => Worker {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const urls = trustedTypes?.createPolicy(policy, { createScriptURL: () => url }) ?? { createScriptURL: () => url };
  return () => new Worker(urls.createScriptURL(url));
}
