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

/** Replaces the folder of the file in a cache entry, so that copies of a file share it. */
const FOLDER = '<folder>'

/**
 * Converts a wrangler.toml to options for Miniflare. Only wrangler can do this, and importing it takes 200 MB, so
 * another process does it once for each version of the file.
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

/** Escapes a text for use inside a JSON string. */
const asJson = (text: string): string => JSON.stringify(text).slice(1, -1)

async function readWithWrangler(path: string): Promise<string> {
	try {
		return (await promisify(execFile)(process.execPath, [reader, path])).stdout
	} catch (error) {
		throw new StartFailure(`${path} can't be read: ${(error as { stderr?: string }).stderr?.trim()}`)
	}
}
