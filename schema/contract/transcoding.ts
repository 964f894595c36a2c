import { z } from 'zod'
import { AssetParams } from './assets.ts'
import { AssetId, data } from './fields.ts'
import { operation } from './operation.ts'

export const processAsset = operation({
	id: 'processAsset',
	method: 'post',
	path: '/v1/assets/{assetId}/process',
	tag: 'Assets',
	summary: 'Make an asset playable',
	auth: 'write',
	idempotent: true,
	params: AssetParams,
	body: z.object({}),
	bodyOptional: true,
	status: 200,
	response: data(z.object({ assetId: AssetId, status: z.literal('queued') })),
	errors: ['not_found', 'conflict'],
})
