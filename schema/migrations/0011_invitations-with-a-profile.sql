ALTER TABLE `community_invitations` ADD `invited_by_membership_id` integer;--> statement-breakpoint
ALTER TABLE `community_invitations` ADD `sso_user_id` text;--> statement-breakpoint
ALTER TABLE `community_invitations` ADD `avatar_url` text;--> statement-breakpoint
ALTER TABLE `community_invitations` ADD `headline` text;--> statement-breakpoint
ALTER TABLE `community_invitations` ADD `bio` text;