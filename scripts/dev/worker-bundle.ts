import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildFailure, context, formatMessages, type Message } from 'esbuild'
import { root } from '../lib/root.ts'

export type WorkerBundle = {
	/** Returns the folder of the current bundle. */
	directory(): string
	/** Returns whether the bundle includes a file, given by its path from the root. */
	has(name: string): boolean
	/** Rebuilds the bundle; returns false if the output is the same. */
	rebuild(): Promise<boolean>
	/** Deletes all bundles but the current one. */
	removeOldBundles(): Promise<void>
	stop(): Promise<void>
}

/** Carries file, line, column and source line of each error. */
export class BuildError extends Error {
	override name = 'BuildError'
}

/**
 * Bundles the Worker into one file, incrementally. Each build gets its own folder, so the previous one can keep
 * running.
 */
export async function openWorkerBundle(folder: string, color: boolean): Promise<WorkerBundle> {
	const build = await context({
		absWorkingDir: root,
		entryPoints: [join(root, 'edge', 'worker.ts')],
		outdir: folder,
		bundle: true,
		write: false,
		metafile: true,
		format: 'esm',
		target: 'es2024',
		mainFields: ['browser', 'module', 'main'],
		conditions: ['workerd', 'worker', 'browser', 'import'],
		external: ['node:*', 'cloudflare:*'],
		sourcemap: 'linked',
		logLevel: 'silent',
	})
	let generation = 0
	let currentScript = ''
	let inputs: ReadonlySet<string> = new Set()
	const directory = () => join(folder, String(generation))
	return {
		directory,
		has: (name) => inputs.has(name),
		async rebuild() {
			const { outputFiles, metafile } = await formatBuildErrors(build.rebuild(), color)
			inputs = new Set(Object.keys(metafile?.inputs ?? {}))
			const textOf = (end: string) => outputFiles?.find(({ path }) => path.endsWith(end))?.text ?? ''
			const script = textOf('worker.js')
			if (script === currentScript) return false
			if (generation === 0) await rm(folder, { recursive: true, force: true })
			generation++
			currentScript = script
			await mkdir(directory(), { recursive: true })
			await writeFile(join(directory(), 'worker.js'), script)
			await writeFile(join(directory(), 'worker.js.map'), textOf('.map'))
			return true
		},
		async removeOldBundles() {
			for (const name of await readdir(folder))
				if (name !== String(generation)) await rm(join(folder, name), { recursive: true, force: true })
		},
		stop: () => build.dispose(),
	}
}

export async function formatBuildErrors<T>(built: Promise<T>, color: boolean): Promise<T> {
	try {
		return await built
	} catch (error) {
		const { errors } = error as Partial<BuildFailure>
		if (!errors) throw error
		throw new BuildError(await formatErrors(errors, color))
	}
}

const formatErrors = async (errors: Message[], color: boolean) =>
	(await formatMessages(errors, { kind: 'error', color })).join('').trimEnd()
