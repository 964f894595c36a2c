/** The groups of the reference, and the tags of each in their order. Every tag of an operation is here. */
export const tagGroups: readonly TagGroup[] = [
	{
		name: 'Accounts',
		tags: [
			['Auth', 'Sign up and in, tokens, sessions, and devices without a keyboard.'],
			['Second factor', 'Authenticator apps and recovery codes.'],
			['Passkeys', 'Register and use passkeys.'],
			['Organizations', 'Organizations, their members, API keys and audit log.'],
			['Billing', 'The subscription of an organization.'],
			['Settings', 'Branding, security, origins and speech services of an organization.'],
			['Mail', 'Unsubscribing from mails.'],
			['Account deletion', 'Export or delete an account, with a grace period.'],
		],
	},
	{
		name: 'Video',
		tags: [
			['Assets', 'Create, process, find and change videos.'],
			['Uploads', 'Upload a source by URL, or import it.'],
			['Resumable uploads', 'TUS 1.0.0: uploads that continue after an interruption.'],
			['Collections', 'Group videos.'],
			['AI', 'Callbacks of speech services.'],
			['Public playback', 'What players need: records, comments, reactions and downloads.'],
			['Analytics', 'Views, watch time and quality, and the events that players send.'],
		],
	},
	{
		name: 'Communities: owners',
		tags: [
			[
				'Community management',
				'Communities, people, spaces, topics and access groups, managed by their organization.',
			],
			['Community: invitations', 'Invite people by mail or by link.'],
			['Community: identity providers', 'OpenID providers with which members sign in.'],
			['Community: points', 'Award points to members.'],
			['Member tokens', 'Tokens with which a front end acts for a member.'],
			['Community: sign-in', 'Sign members in with OpenID providers.'],
		],
	},
	{
		name: 'Communities: members',
		tags: [
			['Community: members', 'Profiles and the directory.'],
			['Community: spaces', 'Spaces and their groups.'],
			['Community: posts', 'Read and write posts.'],
			['Community: images', 'Images of posts.'],
			['Community: comments', 'Comments on posts, and replies.'],
			['Community: reactions', 'React to posts and comments.'],
			['Community: bookmarks', 'Keep posts for later.'],
			['Community: post followers', 'Follow posts to hear of comments.'],
			['Community: events', 'Events, attendance and calendars.'],
			['Community: notifications', 'Notifications and their preferences.'],
			['Community: live stream', 'Hear at once what changes.'],
			['Community: moderation', 'Flag, hide, restore and ban.'],
		],
	},
	{
		name: 'Events',
		tags: [
			['Webhooks', 'Endpoints, deliveries, and the events that they receive.'],
			['Events', 'The same events as a feed, without an endpoint.'],
		],
	},
	{
		name: 'Installation',
		tags: [
			['Health and config', 'Whether the service runs, and what it offers.'],
			['Operators', 'Superadmins: users, organizations, errors, backups and secrets.'],
			['Administration', 'Numbers of the installation.'],
			['Diagnostics', 'Machines, metrics and the support bundle.'],
			['Machines', 'The protocol of transcoding machines.'],
		],
	},
]

export type TagGroup = {
	readonly name: string
	readonly tags: readonly (readonly [name: string, description: string])[]
}
