import { describeTokenStore } from '../token-store.contract.ts';
import { memoryTokenStore } from './memory.ts';

describeTokenStore('memoryTokenStore', () => memoryTokenStore());
