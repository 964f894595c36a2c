import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { root } from '../../scripts/lib/root.ts'
import { oncePerRun } from '../support/shared/once-per-run.ts'

const offline = (folder: string) => ({ env: { npm_config_cache: join(folder, '.npm') } })

/** Packs the SDK, once for all tests of a run. Returns the path of the tarball. */
export const packSdk = (): Promise<string> =>
	oncePerRun('playhouse-sdk.tgz', async (path) => {
		const folder = await mkdtemp(join(tmpdir(), 'playhouse-pack-'))
		const args = ['pack', '--silent', '--pack-destination', folder]
		await execa('npm', args, { cwd: join(root, 'sdk'), ...offline(folder) })
		const name = (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? ''
		await cp(join(folder, name), path)
		await rm(folder, { recursive: true })
	})

/** Installs the package into an empty folder as users do, but without a network. */
export async function installSdk(folder: string): Promise<void> {
	await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
	const args = ['install', await packSdk(), '--offline', '--no-audit', '--no-fund']
	await execa('npm', args, { cwd: folder, ...offline(folder) })
}

const options = { bundle: true, minify: true, format: 'esm', write: false, logLevel: 'error' } as const

/** Bundles code that imports the installed package into one file. */
export async function bundle(folder: string, code: string): Promise<string> {
	const { outputFiles } = await build({ stdin: { contents: code, resolveDir: folder }, ...options })
	return outputFiles[0]?.text ?? ''
}
