import * as contract from '#schema/contract/playback.ts'
import { type Route, serve } from '../http/route.ts'
import { answerThumbnail } from './thumbnail.ts'

export const playbackRoutes: Route[] = [
	serve(contract.getThumbnail, ({ deps, params, query, request }) =>
		answerThumbnail(deps, params.playbackId, query.v !== undefined, request),
	),
]
