// Measures the review in the browser (Chromium) and holds it to its targets: npm run bench -- page [--quick] [--strict] [NAME…]
import { largeDiff } from './page/large-diff.mjs';
import { sameTime } from './page/same-time.mjs';
import { sizes } from './page/sizes.mjs';
import { runMeasures } from './run-measures.mjs';

await runMeasures('page', { sizes, largeDiff, sameTime });
