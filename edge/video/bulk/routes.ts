import * as contract from '#schema/contract/video/bulk.ts'
import { type Route, serve } from '../../http/route.ts'
import { changeAssets } from './bulk.ts'

export const bulkRoutes: Route[] = [
	serve(contract.changeAssets, async ({ deps, caller, body }) => ({
		data: await changeAssets(deps, caller, body),
	})),
]
