import { unstable_getMiniflareWorkerOptions } from 'wrangler'

// Started by worker-config.ts, which reads standard output and reports what is on standard error.
const [path = ''] = process.argv.slice(2)
try {
	process.stdout.write(JSON.stringify(unstable_getMiniflareWorkerOptions(path).workerOptions))
} catch (error) {
	console.error((error as Error).message)
	process.exitCode = 1
}
