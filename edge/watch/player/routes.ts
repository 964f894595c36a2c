import { getOEmbed } from '#schema/contract/watch/oembed.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBaseCacheScope } from '../../platform/env.ts'
import { describeEmbed } from './sharing/oembed.ts'

export const playerRoutes: Route[] = [
	serve(getOEmbed, async ({ deps, query, request, headers }) => {
		const { url, maxwidth, maxheight, format } = query
		const maximum = { width: maxwidth, height: maxheight }
		const embed = await describeEmbed(deps, { url, maximum, format }, request)
		headers.set('cache-control', `${apiBaseCacheScope(deps.env)}, max-age=300`)
		return embed
	}),
]
