import { resealSecrets } from '#schema/contract/operations/secret-rotation.ts'
import { type Route, serve } from '../../http/route.ts'
import { resealPage } from './reseal.ts'

export const secretRotationRoutes: Route[] = [
	serve(resealSecrets, async ({ deps, body }) => ({ data: await resealPage(deps, body.cursor) })),
]
