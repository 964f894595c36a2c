import { createCommunity, listCommunities } from '#schema/contract/community/manage/communities.ts'
import { acceptCommunityInvitation } from '#schema/contract/community/manage/invitations.ts'
import { addCommunityMember, listCommunityMembers } from '#schema/contract/community/manage/memberships.ts'
import { ApiError } from '#schema/contract/kit/client.ts'
import { signInPerson } from './accounts.ts'
import { community, type DemoMember, members } from './demo.ts'
import type { SeededInstallation } from './installation.ts'
import type { Report } from './report.ts'
import { SeedError, type Session } from './session.ts'

const TOKEN = /\/join#token=([\w.-]+)/

/** Sessions of the members, by their names in demo.ts. */
export type Members = ReadonlyMap<DemoMember, Session>

export async function seedCommunity(owner: Session, report: Report): Promise<number> {
	const { data } = await owner.client.call(listCommunities, { query: { limit: '200' } })
	const existing = data.find(({ slug }) => slug === community.slug)
	if (existing) report.found(`community ${existing.name}`)
	if (existing) return existing.id
	try {
		const created = await owner.client.call(createCommunity, { body: community })
		report.created(`community ${community.name}`)
		return created.data.id
	} catch (error) {
		if (!(error instanceof ApiError && error.status === 409)) throw error
		throw new SeedError(
			`another organization owns the community ${community.slug}; rename or delete that community first`,
		)
	}
}

/** Joins each member by the link of an invitation mail, because membership requires consent. */
export async function seedMembers(
	installation: SeededInstallation,
	owner: Session,
	communityId: number,
	password: string,
	report: Report,
): Promise<Members> {
	const joined = new Map<DemoMember, Session>([['ada', owner]])
	const { mail } = installation
	if (!mail) return joined
	const params = { communityId: String(communityId) }
	const { data: present } = await owner.client.call(listCommunityMembers, { params, query: { limit: '200' } })
	for (const { email, name, role } of members) {
		const session = await signInPerson(installation, { email, name }, password, report)
		joined.set(email.slice('demo-'.length, email.indexOf('@')) as DemoMember, session)
		if (present.some((member) => member.email === email)) {
			report.found(`member ${name}`)
			continue
		}
		const token = await mail.awaitText(email, TOKEN, () =>
			owner.client.call(addCommunityMember, { params, body: { email, role } }),
		)
		await session.client.call(acceptCommunityInvitation, { body: { token } })
		report.created(`member ${name} (${role})`)
	}
	return joined
}
