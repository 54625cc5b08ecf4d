ALTER TABLE `tickets` ADD `invited_by` text;--> statement-breakpoint
CREATE INDEX `tickets_invitations` ON `tickets` (`invited_by`);