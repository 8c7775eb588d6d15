// Preloaded into a program: ends it with -9 right before one of its steps, a step being a call that changes files, opens a
// socket, or reads or writes on one. DIE_AT=start:5 is the fifth step, DIE_AT=call:3 the third after SIGUSR2, which it
// acknowledges on stderr, DIE_AT=end:2 the second after SIGTERM. STEPS_FILE gets the numbers of all, as JSON, when the program
// exits by itself.
'use strict';
const fs = require('node:fs');
const net = require('node:net');

const { DIE_AT, STEPS_FILE } = process.env;
const CHANGES = [
  'chmod',
  'link',
  'mkdir',
  'mkdtemp',
  'open',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'unlink',
  'writeFile',
];
const { writeFileSync, writeSync } = fs;
const steps = { start: 0, call: 0, end: 0 };
let phase = 'start';

function watch(object, name) {
  const original = object[name];
  if (typeof original !== 'function') return;
  object[name] = function (...args) {
    steps[phase] += 1;
    if (`${phase}:${steps[phase]}` === DIE_AT) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(original, this, args);
  };
}

for (const name of CHANGES) {
  watch(fs, name);
  watch(fs, `${name}Sync`);
  watch(fs.promises, name);
}
watch(net.Server.prototype, 'listen');
for (const name of ['connect', 'push', 'write']) watch(net.Socket.prototype, name);
process.once('SIGUSR2', () => {
  phase = 'call';
  writeSync(2, 'counts its steps\n');
});
process.once('SIGTERM', () => {
  phase = 'end';
});
process.on('exit', () => {
  if (STEPS_FILE !== undefined) writeFileSync(STEPS_FILE, JSON.stringify(steps));
});
