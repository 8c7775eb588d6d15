import { describeEventBus } from '../event-bus.contract.ts';
import { memoryEventBus } from './memory.ts';

describeEventBus('memoryEventBus', () => {
  const bus = memoryEventBus();
  return { bus, other: bus };
});
