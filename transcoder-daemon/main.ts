import { parseArgs } from 'node:util'
import { usage } from './config.ts'
import { lineLog } from './log.ts'
import { readLogOptions } from './log-format.ts'
import { listenForShutdown } from './run/shutdown.ts'
import { showStatus, startDaemon, startWatching } from './start.ts'

const USAGE_ERROR = 64
const SIGNALLED = { SIGINT: 130, SIGTERM: 143 }

const print = (text: string) => void process.stdout.write(text)

function readArgs() {
	try {
		const options = {
			help: { type: 'boolean' },
			status: { type: 'boolean' },
			watch: { type: 'string' },
		} as const
		return parseArgs({ options }).values
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n\n${usage}`)
		process.exit(USAGE_ERROR)
	}
}

const args = readArgs()
if (args.help) {
	print(usage)
	process.exit(0)
}

const log = lineLog(
	(line) => print(`${line}\n`),
	() => new Date(),
	readLogOptions(process.env, process.stdout),
)
const shutdown = listenForShutdown(process, log)
shutdown.abort.addEventListener('abort', () => process.exit(SIGNALLED[shutdown.signal() ?? 'SIGTERM']))
process.exit(await run())

function run(): Promise<number> {
	if (args.status) return showStatus(process.env, print, shutdown.drain)
	if (args.watch !== undefined) return startWatching(process.env, args.watch, log, shutdown)
	return startDaemon(process.env, log, shutdown)
}
