import { join } from 'node:path'
import { buildAssets } from '../lib/assets.ts'
import { explainFailure } from '../lib/installation/failure.ts'
import { root } from '../lib/root.ts'
import { bundleWorker } from '../lib/runtime/bundle.ts'
import { readWorkerConfig } from '../lib/runtime/worker-config.ts'

// Started by main.ts, which reads the bundle's folder from standard output. A container image runs it once, so that
// nothing is left to write when the container starts.
try {
	await buildAssets()
	await readWorkerConfig(join(root, 'wrangler.toml'))
	process.stdout.write(await bundleWorker())
} catch (error) {
	console.error(explainFailure(error) ?? error)
	process.exitCode = 1
}
