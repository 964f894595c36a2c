import { z } from 'zod'
import { PlaybackId } from './fields.ts'
import { operation } from './operation.ts'

const tag = 'Public playback'
const PlaybackParams = z.object({ playbackId: PlaybackId })

export const getThumbnail = operation({
	id: 'getThumbnail',
	method: 'get',
	path: '/v1/playback/{playbackId}/thumbnail',
	tag,
	summary: 'The picture of an asset',
	description:
		'Where `thumbnailUrl` leads. `v` names one picture, so that it may be kept for long: leave it as it is in `thumbnailUrl`.',
	auth: 'public',
	anyOrigin: true,
	params: PlaybackParams,
	query: z.object({ v: z.string().max(64).optional() }),
	status: 200,
	answersWith: 'image/*',
	errors: ['not_found'],
})
