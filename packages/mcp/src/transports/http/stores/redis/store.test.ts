import { describeOnEveryRedis } from '../../../../../testing/every-redis.ts';
import { failOnEscapes } from '../../../../../testing/fail-on-escapes.ts';
import { describeStore } from '../../store.contract.ts';
import { redisHttpStore } from './store.ts';

const LIMITS = { maxEventBytes: 8_000_000, maxEndedStreams: 100 };

failOnEscapes();

describeOnEveryRedis('redisHttpStore', (name, open) => {
  describeStore(name, async () => {
    const [one, other] = open();
    return { store: redisHttpStore(one, LIMITS), other: redisHttpStore(other, LIMITS) };
  });
});
