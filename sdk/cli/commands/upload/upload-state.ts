import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadState } from '../../../src/helpers/send-file.ts'
import { stateFolder } from '../../files/folders.ts'
import { readPrivateJson, writePrivateFile } from '../../files/private-file.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { SourceFile } from './source-file.ts'

/** An upload that has begun: of which file, into which asset. */
export type StoredUpload = {
	path: string
	size: number
	modifiedMs: number
	assetId: string
	/** Missing until the upload can be continued. */
	upload?: UploadState
}

/** The state of an upload depends on the installation, the profile and the path, so that the same command finds it again. */
export function uploadStatePath(
	env: NodeJS.ProcessEnv,
	{ url, profile = '' }: { url: string; profile: string | undefined },
	path: string,
): string {
	const name = createHash('sha256').update(`${url}\n${profile}\n${path}`).digest('hex').slice(0, 32)
	return join(stateFolder(env), 'uploads', `${name}.json`)
}

export async function readUploadState(path: string): Promise<StoredUpload | undefined> {
	const stored = (await readPrivateJson(path)) as Partial<StoredUpload> | undefined
	if (stored === undefined) return undefined
	const { size, modifiedMs, assetId } = stored ?? {}
	if (typeof size === 'number' && typeof modifiedMs === 'number' && typeof assetId === 'string')
		return stored as StoredUpload
	throw new CommandFailure(`${path} is not the state of an upload; remove the file to upload from the start`)
}

export const writeUploadState = (path: string, state: StoredUpload): Promise<void> =>
	writePrivateFile(path, `${JSON.stringify(state)}\n`)

export const removeUploadState = (path: string): Promise<void> => rm(path, { force: true })

export type UploadStep = 'start' | 'continue' | 'restart' | 'done'

/**
 * Decides how an upload goes on. `status` is that of the asset; undefined without an asset. A changed file goes into the same
 * asset, unless that already has the earlier file.
 */
export function chooseStep(
	stored: StoredUpload | undefined,
	{ size, modifiedMs }: Pick<SourceFile, 'size' | 'modifiedMs'>,
	status: string | undefined,
): UploadStep {
	if (!stored || status === undefined) return 'start'
	const isSameFile = stored.size === size && stored.modifiedMs === modifiedMs
	if (status !== 'created') return isSameFile ? 'done' : 'start'
	return isSameFile ? 'continue' : 'restart'
}
