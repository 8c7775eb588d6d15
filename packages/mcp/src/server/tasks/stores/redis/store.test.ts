import { describeOnEveryRedis } from '../../../../../testing/every-redis.ts';
import { failOnEscapes } from '../../../../../testing/fail-on-escapes.ts';
import { describeTaskStore } from '../../task-store.contract.ts';
import { redisTaskStore } from './store.ts';

failOnEscapes();

describeOnEveryRedis('redisTaskStore', (name, open) => {
  describeTaskStore(name, async () => {
    const [one, other] = open();
    return { store: redisTaskStore(one), other: redisTaskStore(other) };
  });
});
