import { describeOnEveryRedis } from '../../../../testing/every-redis.ts';
import { failOnEscapes } from '../../../../testing/fail-on-escapes.ts';
import { describeEventBus } from '../../event-bus.contract.ts';
import { openRedisEventBus } from './bus.ts';

failOnEscapes();

describeOnEveryRedis('openRedisEventBus', (name, open) => {
  describeEventBus(name, async () => {
    const [one, other] = open();
    return { bus: await openRedisEventBus(one), other: await openRedisEventBus(other) };
  });
});
