import { isPublicAddress } from '#schema/contract/video/source-url.ts'
import { jsonLog } from '../../../transcoder-daemon/log.ts'
import { listenForShutdown } from '../../../transcoder-daemon/run/shutdown.ts'
import { publicNetwork } from '../../../transcoder-daemon/sources/public-address.ts'
import { startDaemon } from '../../../transcoder-daemon/start.ts'
import { defaultInternet, fetchFrom } from '../../../transcoder-daemon/tasks/fetch.ts'
import { tasks } from '../../../transcoder-daemon/tasks/index.ts'

/**
 * The daemon, with one name in its world that leads to the test's own server and counts as public. There is no switch
 * for that in the product; every other name and address is judged as it always is.
 */
const { FILMS_HOST = '', FILMS_ADDRESS = '' } = process.env

const fetchTask = fetchFrom({
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
