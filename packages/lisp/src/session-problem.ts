/** Why a call could not be served, in words for the model: what is wrong and what to do instead. */
export class SessionProblem extends Error {
  override readonly name = 'SessionProblem';
}
