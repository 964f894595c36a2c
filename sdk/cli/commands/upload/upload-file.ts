import { call } from '../../../src/call.ts'
import type { Client } from '../../../src/client.ts'
import { NotFoundError } from '../../../src/errors.ts'
import { type Asset, createAsset, getAsset, updateAsset } from '../../../src/generated/operations.ts'
import { sendFile } from '../../../src/helpers/send-file.ts'
import { withLock } from '../../files/lock.ts'
import type { Connection } from '../../frame/connect.ts'
import type { SourceFile } from './source-file.ts'
import {
	chooseStep,
	readUploadState,
	removeUploadState,
	type StoredUpload,
	uploadStatePath,
	writeUploadState,
} from './upload-state.ts'

export type AssetFields = {
	title?: string
	collectionId?: string
	visibility?: 'public' | 'unlisted' | 'signed'
}
export type Reporter = {
	talk(line: string): void
	onSent(sent: number): void
}
type Options = { fields: AssetFields; chunkBytes?: number; signal: AbortSignal }

/** Uploads a file into a new asset, or continues an earlier upload of the file. Returns the asset. */
export async function uploadFile(
	connection: Connection,
	env: NodeJS.ProcessEnv,
	file: SourceFile,
	{ fields, chunkBytes, signal }: Options,
	reporter: Reporter,
): Promise<Asset> {
	const { client } = connection
	const { path, size, modifiedMs } = file
	const statePath = uploadStatePath(env, connection, path)
	return await withLock(`${statePath}.lock`, path, async () => {
		const earlier = await readUploadState(statePath)
		const known = earlier && (await findAsset(client, earlier.assetId, signal))
		const step = chooseStep(earlier, file, known?.status)
		if (earlier && step === 'start')
			reporter.talk(`The earlier upload of ${file.name} can't be continued. Starting a new one.`)
		if (step === 'restart')
			reporter.talk(`${file.name} changed since the last upload. Sending it from the start.`)
		if (step === 'continue') reporter.talk(`Continuing the upload of ${file.name}.`)
		const asset =
			known && step !== 'start'
				? await applyFields(client, known, fields)
				: await create(client, file, fields, (assetId) =>
						// Before anything else, so that a process that dies leaves no second asset.
						writeUploadState(statePath, { path, size, modifiedMs, assetId }),
					)
		reporter.talk(`${file.name}: ${asset.watchUrl}`)
		if (step !== 'done') {
			const stored: StoredUpload = { path, size, modifiedMs, assetId: asset.id }
			const upload = step === 'continue' ? earlier?.upload : undefined
			if (step === 'restart') await writeUploadState(statePath, stored)
			await sendFile(client, path, {
				assetId: asset.id,
				signal,
				...(upload && { state: upload }),
				...(chunkBytes && { chunkBytes, wholeUpToBytes: 0 }),
				async onState(state) {
					if (upload)
						reporter.talk(
							`The server no longer has the first part of ${file.name}. Sending it from the start.`,
						)
					await writeUploadState(statePath, { ...stored, upload: state })
				},
				onProgress: ({ sent }) => reporter.onSent(sent),
			})
		}
		await removeUploadState(statePath)
		return asset
	})
}

async function findAsset(client: Client, assetId: string, signal: AbortSignal): Promise<Asset | undefined> {
	try {
		return await call(client, getAsset, { assetId }, { signal })
	} catch (error) {
		if (error instanceof NotFoundError) return undefined
		throw error
	}
}

async function create(
	client: Client,
	{ name }: SourceFile,
	fields: AssetFields,
	onCreated: (assetId: string) => Promise<void>,
): Promise<Asset> {
	const title = fields.title ?? (name.replace(/\.[^.]+$/, '') || name).slice(0, 255)
	const { id } = await call(client, createAsset, { ...fields, title, process: 'whenUploaded' })
	await onCreated(id)
	return await call(client, getAsset, { assetId: id })
}

const applyFields = async (client: Client, asset: Asset, fields: AssetFields): Promise<Asset> =>
	Object.keys(fields).length === 0 ? asset : await call(client, updateAsset, { assetId: asset.id, ...fields })
