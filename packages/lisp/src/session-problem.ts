/** Why a call could not be served: a message for the model that says what is wrong and what to do. */
export class SessionProblem extends Error {
  override readonly name = 'SessionProblem';
}
