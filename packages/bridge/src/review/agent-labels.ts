/** Tells agents of the same name apart: the first is `claude-code`, another `claude-code 2`. */
export class AgentLabels {
  readonly #labels = new Map<object, { readonly name: string; readonly number: number }>();

  /** The same for an owner until it is removed. A number that is free again is used again. */
  labelOf(owner: object, name: string): string {
    let label = this.#labels.get(owner);
    if (label?.name !== name) {
      const taken = new Set(
        [...this.#labels.values()].filter((each) => each.name === name).map(({ number }) => number),
      );
      let number = 1;
      while (taken.has(number)) number += 1;
      label = { name, number };
      this.#labels.set(owner, label);
    }
    return label.number === 1 ? name : `${name} ${label.number}`;
  }

  remove(owner: object): void {
    this.#labels.delete(owner);
  }
}
