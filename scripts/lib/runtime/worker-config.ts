import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../installation/failure.ts'
import { root } from '../root.ts'

/** Settings of wrangler.toml that these scripts read; Miniflare gets the rest unchanged. */
export type WorkerConfig = {
	compatibilityDate: string
	bindings: Record<string, string>
	cronTriggers?: string[]
	d1Databases?: Record<string, { id: string }>
	r2Buckets?: Record<string, { id: string }>
	assets?: { directory: string; binding?: string; run_worker_first?: boolean | string[] }
}

const cache = join(root, 'node_modules', '.cache', 'playhouse', 'worker-config')
const reader = join(import.meta.dirname, 'read-worker-config.ts')

/** Stands for the folder of the file, so that copies of a file share an entry. */
const FOLDER = '<folder>'

/**
 * Returns the options for Miniflare that a wrangler.toml stands for. Only wrangler knows them, but it holds 200 MB in the
 * process that imports it. So another process asks it, once for each version of the file.
 */
export async function readWorkerConfig(path: string): Promise<WorkerConfig> {
	const folder = asJson(dirname(path))
	const hash = createHash('sha256')
	for (const input of [path, join(root, 'package-lock.json')]) hash.update(await readFile(input))
	const entry = join(cache, `${hash.digest('hex').slice(0, 24)}.json`)
	const known = await readFile(entry, 'utf8').catch(() => null)
	if (known) return JSON.parse(known.replaceAll(FOLDER, folder))
	const text = await readWithWrangler(path)
	const draft = `${entry}.${randomUUID()}`
	await mkdir(cache, { recursive: true })
	await writeFile(draft, text.replaceAll(folder, FOLDER))
	await rename(draft, entry)
	return JSON.parse(text)
}

/** Returns a text as it is written inside a JSON string. */
const asJson = (text: string): string => JSON.stringify(text).slice(1, -1)

async function readWithWrangler(path: string): Promise<string> {
	try {
		return (await promisify(execFile)(process.execPath, [reader, path])).stdout
	} catch (error) {
		throw new StartFailure(`${path} can't be read: ${(error as { stderr?: string }).stderr?.trim()}`)
	}
}
