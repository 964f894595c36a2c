import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchPlayhouse } from '../../support/node/playhouse-process.ts'
import { signUp } from '../fleet/installation.ts'

/** An installation as `npm start` makes it, with somebody who has signed up. */
export async function openHome(...args: string[]) {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-home-'))
	const dataDir = join(folder, 'data')
	const playhouse = launchPlayhouse({ DATA_DIR: dataDir }, ...args)
	const close = async () => {
		playhouse.kill('SIGTERM')
		await playhouse.exitCode
		await rm(folder, { recursive: true, force: true })
	}
	try {
		const url = await playhouse.url
		return {
			/** For files of the test's own, too. */
			folder,
			dataDir,
			url,
			owner: await signUp(() => url),
			output: playhouse.output,
			fleetToken: async (): Promise<string> =>
				JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')).FLEET_TOKEN,
			/** What the two buckets hold, as it lies on the disk: a file for each object. */
			storedFiles: async () => {
				const names = await readdir(join(dataDir, 'storage', 'r2'), { recursive: true })
				return names.filter((name) => /[/\\]blobs[/\\]/.test(name))
			},
			[Symbol.asyncDispose]: close,
		}
	} catch (error) {
		await close()
		throw error
	}
}

export type Home = Awaited<ReturnType<typeof openHome>>
