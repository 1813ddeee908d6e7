import { simple } from "../sign-in/sign-in-page.ts";

/**
 * Words by which addresses say that a request for them changes something, in the languages in which signing out is known
 * (sign-in/sign-in-page.ts). They are written as people write them; accents, hyphens and capitals do not count.
 */

/**
 * Verbs of change by language. `plain` ones name nothing else; `ambiguous` ones are also names of pages, folders and
 * parameters (`/blog/archive`, `?start=20`), so that they need an id, or an action parameter, beside them.
 */
const verbs: Readonly<Record<string, { plain: string; ambiguous: string }>> = {
  en: {
    plain:
      "delete destroy remove trash untrash undelete erase wipe purge activate deactivate approve unapprove disapprove " +
      "reject unpublish uninstall unsubscribe revoke rollback discard dismiss ban unban suspend unsuspend enable disable " +
      "unlock unfollow unlike unstar unpin unassign unarchive unlink unmark deregister detach kill shutdown reboot impersonate " +
      "loginas switchuser unhide unsticky unbookmark unfavorite unfavourite reactivate regenerate",
    ambiguous:
      "publish restore install update upgrade downgrade duplicate clone copy move merge vote upvote downvote like dislike " +
      "follow subscribe confirm cancel buy pay purchase send resend mark lock revert undo flush reset retry run rerun start " +
      "stop restart import assign archive accept decline deny pin star spam unspam ham flag block unblock execute exec trigger clear empty " +
      "apply join kick close reopen resolve refund charge reindex rebuild sync toggle bump rename disconnect invalidate " +
      "expire terminate pause resume promote demote deploy save submit rate release drop truncate " +
      "del rm bookmark favorite favourite sticky attend rsvp rotate",
  },
  de: {
    plain:
      "löschen loeschen entfernen aktivieren deaktivieren genehmigen ablehnen wiederherstellen sperren entsperren " +
      "deinstallieren abbestellen stornieren verwerfen zuweisen leeren",
    ambiguous:
      "veröffentlichen veroeffentlichen freigeben installieren aktualisieren verschieben kopieren duplizieren " +
      "zusammenführen zusammenfuehren abstimmen folgen abonnieren bestätigen bestaetigen abbrechen kaufen bezahlen senden " +
      "markieren zurücksetzen zuruecksetzen archivieren importieren starten stoppen",
  },
  fr: {
    plain:
      "supprimer effacer retirer enlever activer désactiver approuver rejeter dépublier désinstaller désabonner " +
      "se-désabonner verrouiller déverrouiller vider",
    ambiguous:
      "publier restaurer installer mettre-à-jour dupliquer déplacer fusionner voter aimer suivre s-abonner abonner " +
      "confirmer annuler acheter payer envoyer marquer réinitialiser archiver importer démarrer arrêter assigner",
  },
  es: {
    plain:
      "eliminar borrar quitar suprimir activar desactivar aprobar rechazar despublicar desinstalar desuscribir bloquear " +
      "desbloquear vaciar",
    ambiguous:
      "publicar restaurar instalar actualizar duplicar mover fusionar votar seguir suscribir suscribirse confirmar " +
      "cancelar comprar pagar enviar marcar revertir restablecer archivar importar iniciar detener asignar",
  },
  pt: {
    plain: "excluir apagar remover ativar desativar aprovar rejeitar despublicar desinstalar esvaziar desbloquear",
    ambiguous:
      "atualizar instalar restaurar inscrever seguir votar confirmar cancelar comprar pagar enviar arquivar repor",
  },
  it: {
    plain:
      "elimina eliminare cancella cancellare rimuovi rimuovere attiva attivare disattiva disattivare approva approvare " +
      "rifiuta rifiutare disinstalla disiscriviti sblocca svuota",
    ambiguous:
      "pubblica ripristina installa aggiorna duplica sposta unisci vota segui iscriviti conferma annulla acquista paga " +
      "invia blocca reimposta archivia importa avvia ferma assegna",
  },
  nl: {
    plain:
      "verwijderen verwijder wissen activeren deactiveren goedkeuren afkeuren afwijzen depubliceren inschakelen " +
      "uitschakelen vergrendelen ontgrendelen toewijzen",
    ambiguous:
      "publiceren herstellen installeren bijwerken dupliceren verplaatsen samenvoegen stemmen volgen abonneren bevestigen " +
      "annuleren kopen betalen verzenden versturen markeren terugzetten archiveren importeren starten stoppen",
  },
  sv: {
    plain: "ta-bort radera aktivera inaktivera avaktivera godkänn avvisa avpublicera avinstallera avprenumerera",
    ambiguous:
      "publicera återställ installera uppdatera flytta följ prenumerera bekräfta avbryt köp betala skicka arkivera",
  },
  da: {
    plain: "slet fjern aktiver deaktiver godkend afvis",
    ambiguous: "udgiv gendan installer opdater flyt følg bekræft annuller køb betal arkiver",
  },
  no: {
    plain: "slett fjern aktiver deaktiver godkjenn avvis",
    ambiguous: "publiser gjenopprett oppdater flytt bekreft avbryt kjøp betal arkiver",
  },
  fi: {
    plain: "poista aktivoi deaktivoi hyväksy hylkää",
    ambiguous: "julkaise palauta asenna päivitä siirrä seuraa tilaa vahvista peruuta osta maksa lähetä arkistoi",
  },
  pl: {
    plain: "usuń skasuj aktywuj dezaktywuj zatwierdź odrzuć odinstaluj zablokuj odblokuj",
    ambiguous: "opublikuj przywróć zainstaluj aktualizuj przenieś głosuj obserwuj potwierdź anuluj kup zapłać wyślij",
  },
  cs: {
    plain: "smazat odstranit vymazat aktivovat deaktivovat schválit zamítnout odinstalovat zamknout odemknout",
    ambiguous:
      "zveřejnit obnovit nainstalovat aktualizovat přesunout potvrdit zrušit koupit zaplatit odeslat archivovat",
  },
  sk: {
    plain: "zmazať odstrániť vymazať aktivovať deaktivovať schváliť zamietnuť odinštalovať zamknúť odomknúť",
    ambiguous: "zverejniť obnoviť nainštalovať aktualizovať presunúť potvrdiť zrušiť kúpiť zaplatiť odoslať",
  },
  hu: {
    plain: "törlés töröl eltávolítás aktiválás deaktiválás jóváhagyás elutasítás",
    ambiguous: "közzététel visszaállítás telepítés frissítés áthelyezés megerősítés vásárlás fizetés küldés",
  },
  ro: {
    plain: "șterge activează dezactivează aprobă respinge dezinstalează",
    ambiguous: "publică restaurează instalează actualizează mută confirmă anulează cumpără plătește trimite",
  },
  tr: {
    plain: "sil kaldır etkinleştir onayla reddet",
    ambiguous: "yayınla yükle güncelle taşı iptal satın-al gönder kilitle",
  },
  hr: {
    plain: "obriši izbriši ukloni odstrani aktiviraj deaktiviraj odobri odbij",
    ambiguous: "objavi vrati instaliraj ažuriraj premjesti potvrdi otkaži kupi plati pošalji",
  },
  ru: {
    plain: "удалить активировать деактивировать одобрить отклонить отписаться заблокировать разблокировать",
    ambiguous:
      "опубликовать восстановить установить обновить переместить подписаться подтвердить отменить купить оплатить отправить",
  },
  ja: { plain: "削除 有効化 無効化 承認 却下", ambiguous: "公開 復元 更新 移動 確認 購入 送信" },
  zh: { plain: "删除 刪除 启用 停用 批准 拒绝", ambiguous: "发布 恢复 安装 更新 移动 确认 取消 购买 支付 发送" },
  ko: { plain: "삭제 활성화 비활성화 승인 거부", ambiguous: "게시 복원 설치 업데이트 이동 확인 취소 구매 전송" },
};

const setOf = (...words: string[]): ReadonlySet<string> =>
  new Set(words.flatMap((some) => some.split(" ").map(simple)));

export const plainVerbs = setOf(...Object.values(verbs).map(({ plain }) => plain));
export const ambiguousVerbs = setOf(...Object.values(verbs).map(({ ambiguous }) => ambiguous));

/** Ambiguous verbs that are hardly ever the name of a page: behind any object they act (`/cache/flush`). */
export const operations = setOf(
  "flush revert undo resend rerun retry restart reindex rebuild invalidate terminate disconnect refund cancel unblock unspam clear",
  "annuler cancelar annulla annuleren abbrechen peruuta anuluj zrušit iptal отменить",
);
/** Ambiguous verbs that act before an id, and as a parameter's name (`?like=1`): they name no thing, as `run` and `start` do. */
export const requests = setOf(
  ...operations,
  "publish restore vote upvote downvote like dislike follow subscribe confirm mark assign accept decline promote demote send",
  "veröffentlichen abstimmen folgen abonnieren bestätigen publier voter aimer suivre confirmer publicar votar seguir confirmar",
  "pubblica vota segui conferma publiceren stemmen volgen bevestigen",
);
/** Verbs that use up the random value behind them: `/email/verify/…` */
export const consents = setOf(
  ...requests,
  "verify validate optin optout vérifier valider verificar verifica verifieren bekräfta bekræft bekreft vahvista potwierdź potvrdit",
);
/** Objects that only machines, or carts, have: every verb behind them acts (`/cron/run`). */
export const machines = setOf(
  "cron backup import export sync trash recyclebin cache caches queue queues scheduler worker workers daemon cart basket warenkorb",
);
/** What something becomes that is marked: `/mark-all-as-read`. */
export const states = setOf(
  "read unread seen unseen done complete completed incomplete spam ham paid unpaid resolved solved",
);
/** What is behind a verb to say it again, or of how many: `/delete/confirm`, `/clear-all`. */
export const affirmations = setOf("confirm confirmed yes ok true final submit now");
export const quantities = setOf("all selected everything");

/** What puts something into a cart, a list or a poll: as a segment, a parameter's name, or its value. */
export const additions = setOf(
  "add-to-cart add-to-basket add-to-bag add-to-wishlist add-to-list add-to-compare add-to-favorites add-to-favourites buy-now",
  "in-den-warenkorb ajouter-au-panier añadir-al-carrito aggiungi-al-carrello",
);
/** Where a segment `add` acts: `/cart/add`. */
export const containers = setOf(
  "cart basket bag wishlist favorites favourites compare list poll warenkorb merkzettel panier carrito carrinho carrello winkelwagen",
);

/** What opens a form: in some systems that takes a lock, or makes a draft. */
export const formWords = setOf(
  "edit new create add compose change write reply quote bearbeiten neu erstellen hinzufügen verfassen modifier créer nouveau ajouter",
  "editar crear nuevo añadir criar novo adicionar modifica crea nuovo aggiungi bewerken nieuw toevoegen redigera skapa rediger opprett",
  "muokkaa luo edytuj dodaj upravit vytvořit přidat upraviť szerkesztés editare düzenle ekle uredi dodaj редактировать создать добавить",
  "編集 新規作成 编辑 新建 편집",
);

/** Folders whose segments are titles of texts: a verb there is what a text is about. */
export const textFolders = setOf(
  "wiki docs doc documentation manual manuals reference blog news article articles help guide guides handbook howto faq kb",
  "knowledge tutorial tutorials learn topic topics tag tags category categories glossary dictionary commands search",
  "src blob tree raw hilfe handbuch aide ayuda kategorie policy policies legal",
);

/** What an action parameter says that only shows something: a token beside it is the session's (`do=admin&sectok=…`). */
export const views = setOf("admin view show list index display browse search history diff preview print help overview");

/** One-time tokens by the names of their parameters, in the form of `simple`. */
export const TOKEN =
  /^(?:.*nonce|.*csrf.*|.*xsrf.*|sectok|authenticitytoken|token|.*(?:form|edit|security|action|request|verification|delete|onetime)token|formkey|sesskey|fkey)$/;
/** Parameters that are tokens only beside a verb: by themselves, they say many other things. */
export const TOKEN_BESIDE_VERB = /^(?:hash|key|sig|signature|code|authkey|chk)$/;

/** Parameters of pages to which actions lead back. */
export const changeParameters = setOf(
  "trashed untrashed deleted undeleted removed restored activated deactivated approved unapproved spammed published unpublished",
  "installed uninstalled moved enabled disabled archived saved updated added liked followed subscribed unsubscribed sent undo message msg notice flash success",
);
/** What such pages say, with the name of a link that undoes it. */
export const changeMessages = new RegExp(
  [
    "(?:moved|sent) to (?:the )?(?:trash|bin)",
    "(?:has been|have been|was|were) (?:\\w+ly )?(?:deleted|removed|trashed|restored|(?:de)?activated|approved|(?:un)?published|archived|moved|updated|disabled|enabled|added to)",
    "(?:deleted|removed|restored|(?:de)?activated|approved|(?:un)?published|archived|moved|updated)(?: successfully)?[.!]\\s*<",
    "successfully (?:deleted|removed|restored|(?:de)?activated|approved|published|archived|moved|updated)",
    "in den papierkorb (?:verschoben|gelegt)|wurden? (?:\\w+ )?(?:gelöscht|entfernt|aktiviert|deaktiviert|veröffentlicht|verschoben)",
    "(?:a|ont) été (?:\\w+ )?(?:supprimé|retiré|activé|désactivé|publié|déplacé)",
    "(?:ha|han) sido (?:eliminad|borrad|activad|desactivad|publicad|movid)|se ha (?:eliminado|borrado|movido)",
    "(?:è|sono) stat[oiae] (?:eliminat|rimoss|attivat|disattivat|spostat)|foi (?:excluíd|removid|ativad|desativad)",
    "(?:is|zijn) verwijderd|har (?:tagits bort|raderats|slettet)|został\\w* usunięt|byl\\w* (?:smazán|odstraněn)",
    "(?:был\\w* )?(?:удален|удалён)|削除(?:しました|されました)|已(?:删除|刪除)|삭제(?:되었습니다|했습니다)",
    ">\\s*(?:undo|rückgängig(?: machen)?|annuler|deshacer|annulla|desfazer|ongedaan maken|ångra|fortryd|angre|kumoa|cofnij|zpět vzít)\\s*<",
  ].join("|"),
  "gi",
);
