import { z } from 'zod'
import { AssetId, data, HighlightId, Line, PlaybackId, ViewerToken } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { Highlight } from '../video/assets.ts'

const operation = describeOperations('Assets')

const params = z.object({ assetId: AssetId, highlightId: HighlightId })

const url = z.string().meta({ description: 'An absolute URL' })

export const PublicHighlight = Highlight.omit({ status: true, score: true, reasons: true })
	.extend({
		rank: z.int().positive().meta({ description: 'Its place by score: 1 stands out most' }),
		manifestUrl: url.meta({ description: 'URL of an HLS playlist with the clip alone' }),
		clipUrl: url.meta({ description: 'URL of the clip as one MP4 file' }),
		posterUrl: url
			.nullable()
			.meta({ description: 'URL of the poster image of the clip; null without video' }),
	})
	.meta({ id: 'PublicHighlight' })
export type PublicHighlight = z.infer<typeof PublicHighlight>

export const listHighlights = operation({
	id: 'listHighlights',
	method: 'get',
	path: '/v1/playback/{playbackId}/highlights',
	tag: 'Public playback',
	summary: 'List the highlights of an asset whose clips are ready, in the order of the video',
	description: 'The list is empty if the organization does not show them (`publicSettings.showHighlights`).',
	auth: 'viewer',
	impersonation: 'read',
	anyOrigin: true,
	params: z.object({ playbackId: PlaybackId }),
	query: z.object({ token: ViewerToken }),
	response: data(z.array(PublicHighlight)),
	errors: ['not_found', 'forbidden'],
})

export const updateHighlight = operation({
	id: 'updateHighlight',
	method: 'patch',
	path: '/v1/assets/{assetId}/highlights/{highlightId}',
	summary: 'Change the title and description of a highlight',
	description: 'Highlights of which one was changed or deleted are made again only with `force`.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params,
	body: z.object({
		title: Line.min(1).max(200).optional(),
		description: z.string().trim().max(1_000).optional(),
	}),
	response: data(Highlight),
	errors: ['not_found'],
})

export const deleteHighlight = operation({
	id: 'deleteHighlight',
	method: 'delete',
	path: '/v1/assets/{assetId}/highlights/{highlightId}',
	summary: 'Delete a highlight with its clip',
	auth: 'write',
	audit: 'none: content',
	params,
	response: data(z.object({ id: HighlightId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
