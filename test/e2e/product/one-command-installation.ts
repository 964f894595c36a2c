import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
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
			/** The stored files of both buckets, one for each object. The hashes of the audit log stay for good. */
			storedFiles: async () => {
				const folder = join(dataDir, 'storage', 'r2')
				const names = await readdir(folder, { recursive: true })
				const blobs = names.filter((name) => /[/\\]blobs[/\\]/.test(name))
				const areHeads = await Promise.all(blobs.map((name) => isAuditHead(join(folder, name))))
				return blobs.filter((_, at) => !areHeads[at])
			},
			[Symbol.asyncDispose]: close,
		}
	} catch (error) {
		await close()
		throw error
	}
}

const AUDIT_HEAD = /^\{"position":\d+,"hash":"[0-9a-f]{64}"\}$/

/** A file that was deleted meanwhile counts as stored, until the folder is read again. */
async function isAuditHead(path: string): Promise<boolean> {
	try {
		const { size } = await stat(path)
		return size < 200 && AUDIT_HEAD.test(await readFile(path, 'utf8'))
	} catch {
		return false
	}
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>
