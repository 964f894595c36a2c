import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchPlayhouse } from '../../support/node/playhouse-process.ts'
import { signUp } from '../fleet/installation.ts'

/** Runs `npm start` in a new data directory and signs up a user. */
export async function startInstallation(args: string[] = [], env: Record<string, string> = {}) {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-installation-'))
	const dataDir = join(folder, 'data')
	// No codec besides H.264: trying the encoders takes a second of CPU time.
	const standard = { BACKUPS_ENABLED: 'false', PLAYHOUSE_CODECS: 'none' }
	const playhouse = launchPlayhouse({ ...standard, ...env, DATA_DIR: dataDir }, ...args)
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
			/** The stored files of both buckets, one for each object, without what the vault keeps for good. */
			storedFiles: async () => {
				const folder = join(dataDir, 'storage', 'r2')
				const names = await readdir(folder, { recursive: true })
				const blobs = names.filter((name) => /[/\\]blobs[/\\]/.test(name))
				const areOfInstallation = await Promise.all(blobs.map((name) => isOfInstallation(join(folder, name))))
				return blobs.filter((_, at) => !areOfInstallation[at])
			},
			[Symbol.asyncDispose]: close,
		}
	} catch (error) {
		await close()
		throw error
	}
}

/** Heads of the audit log, and what the vault keeps for a restored database. */
const OF_INSTALLATION =
	/^(\{"position":\d+,"hash":"[0-9a-f]{64}"\}$|\{"installationId":|Playhouse recognizes a restored|\[\{"id":)/

/** A file that was deleted meanwhile counts as stored, until the folder is read again. */
async function isOfInstallation(path: string): Promise<boolean> {
	try {
		const { size } = await stat(path)
		return size < 10_000 && OF_INSTALLATION.test(await readFile(path, 'utf8'))
	} catch {
		return false
	}
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>
