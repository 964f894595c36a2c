import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AssetId } from '#schema/contract/kit/fields.ts'
import { writeFileAtomic } from '../machine/atomic-file.ts'

const AssetIds = z.record(z.string(), AssetId)

export type Memory = {
	findAssetId(key: string): string | undefined
	remember(key: string, assetId: string): Promise<void>
	forget(key: string): Promise<void>
}

/** Opens the record of which file became which asset, so that a restart creates no second asset. */
export async function openMemory(path: string): Promise<Memory> {
	const assetIds = new Map(Object.entries(await read(path)))
	let lastSave = Promise.resolve()
	const save = () => {
		lastSave = lastSave.then(() => writeFileAtomic(path, JSON.stringify(Object.fromEntries(assetIds))))
		return lastSave
	}
	return {
		findAssetId: (key) => assetIds.get(key),
		remember(key, assetId) {
			assetIds.set(key, assetId)
			return save()
		},
		async forget(key) {
			if (assetIds.delete(key)) await save()
		},
	}
}

async function read(path: string): Promise<z.infer<typeof AssetIds>> {
	try {
		return AssetIds.parse(JSON.parse(await readFile(path, 'utf8')))
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
		throw new Error(`${path} is unreadable; move it away to start over`, { cause: error })
	}
}
