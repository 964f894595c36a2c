import { unsupportedPathError } from './unsupported-path.ts'

/** Loads a module of Node. Its name must not be a literal, because bundlers for browsers fail on modules of Node. */
export async function loadNodeModule<Module>(name: `node:${string}`): Promise<Module> {
	try {
		return await import(/* webpackIgnore: true */ /* @vite-ignore */ name)
	} catch (cause) {
		throw unsupportedPathError(cause)
	}
}
