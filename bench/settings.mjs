/** How long and how often. `rounds` replaces every count of rounds. */
export function chooseSettings({ quick, rounds }) {
  const settings = quick ? { ...full, ...shortened } : { ...full };
  if (rounds !== undefined) {
    for (const name of Object.keys(settings)) if (name.endsWith('Rounds')) settings[name] = rounds;
  }
  return settings;
}

const full = {
  // After this number of rounds the servers are started anew: one process can be lucky with its heap or its compiled code.
  roundsPerProcess: 5,
  callRounds: 10,
  callWarmMs: 400,
  callSettleMs: 40,
  callMs: 200,
  // A round is short and the machine is not quiet: one contender alone can be unlucky in it.
  httpRounds: 16,
  // A call takes ten times as long as over stdio, and needs as many to be compiled.
  httpWarmMs: 1500,
  // Between its turns a server is idle, and V8 makes its young generation small; some thousand calls make it large again.
  httpSettleMs: 200,
  ownClientRounds: 5,
  ownClientWarmMs: 800,
  ownClientMs: 500,
  burstCount: 5000,
  largeRounds: 5,
  largeRepeats: 2,
  listRounds: 6,
  listCalls: 10,
  coldStartRounds: 12,
  residentRounds: 4,
  idleRounds: 3,
  idleFirst: 100,
  // Together below 1024, from where on hawser's server refuses connections unless told otherwise.
  idleFurther: 800,
  httpMemoryRounds: 1,
  httpMemoryWarmCalls: 30_000,
  httpMemoryPart: 1,
};

const shortened = {
  callRounds: 2,
  callWarmMs: 150,
  callMs: 100,
  httpRounds: 2,
  httpWarmMs: 400,
  httpSettleMs: 40,
  ownClientRounds: 1,
  ownClientWarmMs: 600,
  ownClientMs: 200,
  largeRounds: 1,
  largeRepeats: 1,
  listRounds: 2,
  listCalls: 5,
  coldStartRounds: 3,
  residentRounds: 1,
  idleRounds: 1,
  idleFurther: 300,
  httpMemoryWarmCalls: 4000,
  httpMemoryPart: 0.1,
};
