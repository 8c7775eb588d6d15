/** A JSON value that a peer has sent. Tests look into it without checks: a member of another shape fails their assertions. */
// biome-ignore lint/suspicious/noExplicitAny: the one type of this kind, for every package's tests
export type Json = any;
