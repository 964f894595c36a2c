import { isPublicAddress } from '#schema/contract/video/source-url.ts'
import { jsonLog } from '../../../transcoder-daemon/log.ts'
import { listenForShutdown } from '../../../transcoder-daemon/run/shutdown.ts'
import { publicNetwork } from '../../../transcoder-daemon/sources/public-address.ts'
import { startDaemon } from '../../../transcoder-daemon/start.ts'
import { createRunFetch, defaultInternet } from '../../../transcoder-daemon/tasks/fetch.ts'
import { tasks } from '../../../transcoder-daemon/tasks/index.ts'

/**
 * The daemon, with one host name that resolves to the test's server and counts as public. The product has no option for
 * that; all other host names and addresses are checked as usual.
 */
const { FILMS_HOST = '', FILMS_ADDRESS = '' } = process.env

const fetchTask = createRunFetch({
	...defaultInternet,
	publicNetwork: {
		...publicNetwork,
		resolve: async (host) =>
			host === FILMS_HOST ? [{ address: FILMS_ADDRESS, family: 4 }] : publicNetwork.resolve(host),
		isPublic: (address) => address === FILMS_ADDRESS || isPublicAddress(address),
	},
})

const log = jsonLog(
	(line) => void process.stdout.write(`${line}\n`),
	() => new Date(),
)
const shutdown = listenForShutdown(process, log)
shutdown.abort.addEventListener('abort', () => process.exit(143))
process.exit(await startDaemon(process.env, log, shutdown, { ...tasks, fetch: fetchTask }))
