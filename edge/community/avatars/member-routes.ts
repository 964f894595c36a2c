import * as contract from '#schema/contract/community/member/avatars.ts'
import { readImage } from '../../http/body/image-body.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { toViewer } from '../access/viewer.ts'
import { viewProfile } from '../members/view.ts'
import { serveAvatar, setAvatar } from './avatars.ts'

export const avatarRoutes: Route[] = [
	serve(contract.setAvatar, async ({ deps, caller, request }) => {
		const read = () => readImage(request, contract.MAX_AVATAR_BYTES)
		return viewProfile(await setAvatar(deps, toViewer(caller, deps), apiBase(deps.env, request), read))
	}),

	serve(contract.getAvatar, async ({ deps, params: { memberId, avatarFile: file }, query, request }) =>
		serveAvatar(deps, { memberId, file, width: query.w }, request),
	),
]
