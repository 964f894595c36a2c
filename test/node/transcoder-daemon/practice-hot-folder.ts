import { jsonLog } from '../../../transcoder-daemon/log.ts'
import { listenForShutdown } from '../../../transcoder-daemon/shutdown.ts'
import { startWatching } from '../../../transcoder-daemon/start.ts'

/** The hot folder as it is, but for files that are taken for whole sooner. */
const log = jsonLog(
	(line) => void process.stdout.write(`${line}\n`),
	() => new Date(),
)
const shutdown = listenForShutdown(process, log)
const settleMs = Number(process.env.SETTLE_MS ?? 400)
process.exit(await startWatching(process.env, process.argv[3] ?? '', log, shutdown, settleMs))
