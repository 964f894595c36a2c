import { type SQL, sql } from 'drizzle-orm'
import type { CommunityRole, SpacePolicy } from '#schema/contract/community/fields.ts'
import type { Viewer } from './visible-spaces.ts'

/** The policies that let each role write. Nobody can write in a read-only space, not even its owner. */
const policiesOpenTo: Record<CommunityRole, readonly SpacePolicy[]> = {
	member: ['everyone'],
	moderator: ['everyone', 'moderators'],
	admin: ['everyone', 'moderators', 'admins'],
	owner: ['everyone', 'moderators', 'admins'],
}

export const isOpenTo = (role: CommunityRole, policy: SpacePolicy): boolean =>
	policiesOpenTo[role].includes(policy)

const isOpen = ({ role }: Viewer, policy: SQL): SQL =>
	sql`${policy} in (${sql.join(
		policiesOpenTo[role].map((one) => sql`${one}`),
		sql`, `,
	)})`

/** SQL condition: the viewer may create posts and events in the space `s`. */
export const acceptsPosts = (viewer: Viewer): SQL => isOpen(viewer, sql`s.post_policy`)

/** SQL condition: the viewer may comment in the space `s`. */
export const acceptsComments = (viewer: Viewer): SQL => isOpen(viewer, sql`s.comment_policy`)
