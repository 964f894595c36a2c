import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchPlayhouse } from '../../support/node/playhouse-process.ts'
import { signUp } from '../fleet/installation.ts'

/** Runs `npm start` in a new data directory and signs up a user. */
export async function startInstallation(args: string[] = [], env: Record<string, string> = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-installation-'))
	const dataDir = join(folder, 'data')
	const playhouse = launchPlayhouse({ ...env, DATA_DIR: dataDir }, ...args)
	const close = async () => {
		playhouse.kill('SIGTERM')
		await playhouse.exitCode
		await rm(folder, { recursive: true, force: true })
	}
	try {
		const url = await playhouse.url
		return {
			/** A temporary directory, also for files of the test. */
			folder,
			dataDir,
			url,
			owner: await signUp(() => url),
			output: playhouse.output,
			fleetToken: async (): Promise<string> =>
				JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')).FLEET_TOKEN,
			/** The stored files of both buckets, one for each object. */
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

export type Installation = Awaited<ReturnType<typeof startInstallation>>
