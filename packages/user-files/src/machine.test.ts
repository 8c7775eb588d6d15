import { expect, it } from 'vitest';
import { machineName, machineNameFrom } from './machine.ts';

const known = { hostname: 'one', machineId: 'abc', pidNamespace: 'pid:[1]' };

it('a machine keeps its name when the network gives it another host name', () => {
  expect(machineNameFrom({ ...known, hostname: 'other' })).toBe(machineNameFrom(known));
});

it('machines, and containers with their own processes, have different names', () => {
  const others = [
    { ...known, machineId: 'def' },
    { ...known, pidNamespace: 'pid:[2]' },
    { ...known, machineId: '' },
    { ...known, machineId: '', hostname: 'other' },
  ];
  expect(new Set([known, ...others].map(machineNameFrom)).size).toBe(5);
  expect(machineName()).toMatch(/^[0-9a-f]{12}$/);
});
