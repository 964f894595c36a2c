import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type Generator, type GeneratorName, generators, TYPESCRIPT } from './generators.ts'

const run = promisify(execFile)
const document = join(import.meta.dirname, '..', '..', '..', 'schema', 'openapi.json')
const calls = join(import.meta.dirname, 'calls')

const findGenerator = (name: GeneratorName): Generator => generators[name]

/** Downloads the generators and TypeScript. Their install scripts don't run. */
export async function installGenerators(directory: string): Promise<void> {
	const packages = Object.fromEntries(
		Object.entries<Generator>(generators).flatMap(([name, { version, needs = {} }]) => [
			[name, version],
			...Object.entries(needs),
		]),
	)
	const manifest = { private: true, type: 'module', dependencies: { ...packages, typescript: TYPESCRIPT } }
	await writeFile(join(directory, 'package.json'), JSON.stringify(manifest))
	await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory })
}

/** Generates a client, adds the calls that are written for it, and returns the folder. */
export async function generateClient(directory: string, name: GeneratorName): Promise<string> {
	const { args, program = name } = findGenerator(name)
	const folder = join(directory, 'clients', callsFolder(name))
	await mkdir(folder, { recursive: true })
	await run(process.execPath, [await findProgram(directory, name, program), ...args(document, folder)], {
		cwd: directory,
		maxBuffer: 100 * 1_024 * 1_024,
	})
	return folder
}

/** The folder of the generated client, and of the calls for it. */
export const callsFolder = (name: GeneratorName): string => name.replace(/^@([^/]+)\/.*/, '$1')

async function findProgram(directory: string, name: string, program: string): Promise<string> {
	const root = join(directory, 'node_modules', name)
	const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
	return join(root, typeof bin === 'string' ? bin : bin[program])
}

export async function addCalls(folder: string, name: GeneratorName): Promise<void> {
	await cp(join(calls, callsFolder(name)), folder, { recursive: true })
	await cp(join(calls, 'tally.mts'), join(folder, 'tally.mts'))
}

/** Compiles a client as a strict project does, declarations included. Returns the errors. */
export async function compileClient(directory: string, folder: string): Promise<string[]> {
	const compilerOptions = {
		strict: true,
		noUncheckedIndexedAccess: true,
		noEmit: true,
		allowImportingTsExtensions: true,
		target: 'ES2022',
		lib: ['ES2022', 'DOM', 'DOM.Iterable'],
		module: 'ESNext',
		moduleResolution: 'bundler',
		types: [],
	}
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
	const compiler = join(directory, 'node_modules', 'typescript', 'bin', 'tsc')
	try {
		await run(process.execPath, [compiler, '--project', folder])
		return []
	} catch (error) {
		const { stdout = '' } = error as { stdout?: string }
		const errors = stdout.split('\n').filter((line) => line.includes('error TS'))
		if (errors.length === 0) throw error
		return errors
	}
}

/** Loads calls that are written for a client. */
export async function loadCalls<Module>(folder: string, file: string): Promise<Module> {
	const outfile = join(folder, `${file}.bundle.mjs`)
	await build({
		entryPoints: [join(folder, `${file}.mts`)],
		outfile,
		bundle: true,
		format: 'esm',
		platform: 'node',
		logLevel: 'error',
	})
	return import(outfile)
}

/** Counts the lines of TypeScript in a folder. */
export async function countLines(folder: string): Promise<number> {
	const files = globSync('**/*.ts', { cwd: folder })
	const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
	return texts.reduce((lines, text) => lines + text.split('\n').length - 1, 0)
}
