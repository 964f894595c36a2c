import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, glob, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../installation/failure.ts'
import { root } from '../root.ts'
import { compactBundle } from './compact-bundle.ts'

const cache = join(root, 'node_modules', '.cache', 'playhouse', 'worker')
/** All inputs of a bundle. */
const sources = [
	'edge/**/*',
	'schema/**/*',
	'wrangler.toml',
	'package.json',
	'package-lock.json',
	'tsconfig.base.json',
	'scripts/lib/runtime/{bundle,compact-bundle}.ts',
]

/** Returns a folder with the Worker that `wrangler deploy` would upload, compacted, and rebuilt only if an input has changed. */
export async function bundleWorker(): Promise<string> {
	const key = await hashSources()
	const directory = join(cache, key)
	if (existsSync(join(directory, 'worker.js'))) return directory
	await mkdir(cache, { recursive: true })
	const draft = await mkdtemp(join(cache, 'draft-'))
	try {
		await runWrangler(draft)
		await compactBundle(join(draft, 'worker.js'))
		// Another user may run what root has built, as in an image.
		await chmod(draft, 0o755)
		await rename(draft, directory)
	} catch (error) {
		// Another process built the same bundle first.
		if (!existsSync(join(directory, 'worker.js'))) throw error
	} finally {
		await rm(draft, { recursive: true, force: true })
	}
	await removeOtherBundles(key)
	return directory
}

async function hashSources(): Promise<string> {
	const files: string[] = []
	for await (const entry of glob(sources, { cwd: root, withFileTypes: true })) {
		// Built pages are served from their own folder and are not part of the bundle.
		const path = join(entry.parentPath, entry.name)
		if (entry.isFile() && !path.startsWith(join(root, 'edge', 'web', 'public'))) files.push(path)
	}
	const hash = createHash('sha256')
	for (const path of files.toSorted())
		hash
			.update(`${path}\0`)
			.update(await readFile(path))
			.update('\0')
	return hash.digest('hex').slice(0, 24)
}

async function runWrangler(outdir: string): Promise<void> {
	const wrangler = join(root, 'node_modules', '.bin', 'wrangler')
	const quiet = {
		WRANGLER_SEND_METRICS: 'false',
		WRANGLER_LOG_PATH: join(cache, 'logs'),
		NO_COLOR: '1',
		CI: 'true',
	}
	try {
		await promisify(execFile)(wrangler, ['deploy', '--dry-run', '--outdir', outdir], {
			cwd: root,
			env: { ...process.env, ...quiet },
		})
	} catch (error) {
		const { stderr, stdout } = error as { stderr?: string; stdout?: string }
		console.error(`${stdout ?? ''}${stderr ?? ''}`.trim())
		throw new StartFailure('the Worker could not be built; see the lines above')
	}
}

async function removeOtherBundles(key: string): Promise<void> {
	for (const name of await readdir(cache)) {
		// Keep drafts: another process may be writing them.
		if (name !== key && !name.startsWith('draft-'))
			await rm(join(cache, name), { recursive: true, force: true })
	}
}
