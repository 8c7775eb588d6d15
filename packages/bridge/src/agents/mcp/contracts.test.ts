import { mcpUnderTest } from '../../../testing/mcp-client.ts';
import { describeAgentAdapter } from '../../agent.contract.ts';
import { describeHttpAdapter } from '../adapter-parts/http.contract.ts';

describeAgentAdapter('the mcp adapter', mcpUnderTest());
describeHttpAdapter('the mcp adapter', mcpUnderTest(), mcpUnderTest({ abandonedMs: 60_000 }));
