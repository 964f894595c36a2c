import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AssetId } from '#schema/contract/fields.ts'
import { writeWhole } from './whole-file.ts'

const Remembered = z.record(z.string(), AssetId)

export type Memory = {
	assetOf(key: string): string | undefined
	remember(key: string, assetId: string): Promise<void>
	forget(key: string): Promise<void>
}

/** Which file became which asset, so that no restart makes a second one of it. */
export async function openMemory(path: string): Promise<Memory> {
	const known = new Map(Object.entries(await read(path)))
	let written = Promise.resolve()
	const save = () => {
		written = written.then(() => writeWhole(path, JSON.stringify(Object.fromEntries(known))))
		return written
	}
	return {
		assetOf: (key) => known.get(key),
		remember(key, assetId) {
			known.set(key, assetId)
			return save()
		},
		async forget(key) {
			if (known.delete(key)) await save()
		},
	}
}

async function read(path: string): Promise<z.infer<typeof Remembered>> {
	try {
		return Remembered.parse(JSON.parse(await readFile(path, 'utf8')))
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
		throw new Error(`${path} can not be read; move it away to begin anew`, { cause: error })
	}
}
