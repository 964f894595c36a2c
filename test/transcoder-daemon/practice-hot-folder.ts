import { jsonLog } from '../../transcoder-daemon/log.ts'
import { listenForShutdown } from '../../transcoder-daemon/run/shutdown.ts'
import { startWatching } from '../../transcoder-daemon/start.ts'

/** The real hot folder, with a shorter wait before files count as complete. */
const log = jsonLog(
	(line) => void process.stdout.write(`${line}\n`),
	() => new Date(),
)
const shutdown = listenForShutdown(process, log)
const settleMs = Number(process.env.SETTLE_MS ?? 400)
process.exit(await startWatching(process.env, process.argv[3] ?? '', log, shutdown, settleMs))
