import { join } from 'node:path'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { createAsset, deleteAsset } from '../../../schema/contract/video/assets.ts'
import { createUploadToken } from '../../../schema/contract/video/uploads.ts'
import {
	bundleDeployedModules,
	bundleModules,
	openWorkerRuntime,
	readConfiguredWorker,
} from '../lib/worker-runtime.ts'

/** Starts the deployed Worker and the bare one, in one workerd on one bucket. */
export async function startUploadWorkers() {
	const configured = await readConfiguredWorker()
	const { compatibilityDate, r2Buckets } = configured
	const bare = { name: 'bare', compatibilityDate, r2Buckets }
	const workers = [
		{ ...configured, ...(await bundleDeployedModules()), name: 'ours' },
		{ ...bare, ...(await bundleModules(join(import.meta.dirname, 'bare.ts'))) },
	]
	return openWorkerRuntime(workers, async (runtime) => {
		await runtime.openDatabase('ours')
		return {
			ours: await openAssets(await runtime.readUrl('ours')),
			bare: await runtime.readUrl('bare'),
			directory: runtime.directory,
		}
	})
}

/** Creates an asset for an upload and deletes it afterwards, so that the disk holds one at a time. */
async function openAssets(url: string) {
	const client = createClient({ baseUrl: url, fetch })
	const person = { email: 'person@example.org', password: 'correct horse battery', name: 'Person' }
	const { token } = (await client.call(signup, { body: person })).data
	const base64 = (text: string) => Buffer.from(text).toString('base64')
	return {
		async withAsset<T>(
			fileSize: number,
			act: (asset: {
				tus: { endpoint: string; headers: Record<string, string> }
				raw: { url: string; headers: Record<string, string> }
			}) => Promise<T>,
		): Promise<T> {
			const { id } = (await client.call(createAsset, { body: { title: 'Film' } }, { token })).data
			const params = { assetId: id }
			const upload = (await client.call(createUploadToken, { params, body: { fileSize } }, { token })).data
			const headers = {
				authorization: `Bearer ${upload.token}`,
				'upload-metadata': `filename ${base64(upload.sourceKey)}`,
			}
			try {
				return await act({
					tus: { endpoint: `${url}/upload/videos`, headers },
					raw: { url: `${url}/v1/assets/${id}/upload`, headers: { authorization: `Bearer ${token}` } },
				})
			} finally {
				await client.call(deleteAsset, { params }, { token })
			}
		},
	}
}
