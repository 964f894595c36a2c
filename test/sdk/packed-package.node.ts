import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { root } from '../../scripts/lib/root.ts'

/** Packs the SDK, and installs the package into an empty folder as users do, but without a network. */
export async function installSdk(folder: string): Promise<void> {
	const options = { env: { npm_config_cache: join(folder, '.npm') } }
	await execa('npm', ['pack', '--silent', '--pack-destination', folder], {
		cwd: join(root, 'sdk'),
		...options,
	})
	const { version } = JSON.parse(await readFile(join(root, 'sdk', 'package.json'), 'utf8')) as {
		version: string
	}
	await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
	const tarball = `./playhouse-sdk-${version}.tgz`
	await execa('npm', ['install', tarball, '--offline', '--no-audit', '--no-fund'], {
		cwd: folder,
		...options,
	})
}

const options = { bundle: true, minify: true, format: 'esm', write: false, logLevel: 'error' } as const

/** Bundles code that imports the installed package into one file. */
export async function bundle(folder: string, code: string): Promise<string> {
	const { outputFiles } = await build({ stdin: { contents: code, resolveDir: folder }, ...options })
	return outputFiles[0]?.text ?? ''
}
