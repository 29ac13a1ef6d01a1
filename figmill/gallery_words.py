"""The words of the gallery and of the pages of `serve`, in the languages that figmill knows. Pure.

One row a text: English, then its translations in the order of LANGUAGES. {0} and {1} are what a page puts in. English,
and the languages with such forms, say `1 figure` and `2 figures`; the others have one form for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "pt", "zh")

# In the gallery, and in both.
GALLERY: Mapping[str, tuple[str, ...]] = {
    "Figures": ("الأشكال", "Abbildungen", "Figuras", "Figures", "Figure", "図", "Figuras", "图"),
    "1 figure": ("شكل واحد", "1 Abbildung", "1 figura", "1 figure", "1 figura", "図1点", "1 figura", "1 幅图"),
    "{0} figures": (
        "عدد الأشكال: {0}", "{0} Abbildungen", "{0} figuras", "{0} figures", "{0} figure", "図{0}点", "{0} figuras",
        "{0} 幅图",
    ),
    "{0} of {1}": (
        "{0} من {1}", "{0} von {1}", "{0} de {1}", "{0} sur {1}", "{0} di {1}", "{1}中{0}点", "{0} de {1}",
        "{0}/{1}",
    ),
    "Search": ("بحث", "Suchen", "Buscar", "Rechercher", "Cerca", "検索", "Pesquisar", "搜索"),
    "Track": ("القسم", "Bereich", "Sección", "Section", "Sezione", "セクション", "Seção", "分区"),
    "Kind": ("النوع", "Art", "Tipo", "Type", "Tipo", "種類", "Tipo", "类型"),
    "Status": ("الحالة", "Status", "Estado", "État", "Stato", "状態", "Status", "状态"),
    "all": ("الكل", "alle", "todos", "tous", "tutti", "すべて", "todos", "全部"),
    "Theme": ("المظهر", "Farbschema", "Tema", "Thème", "Tema", "テーマ", "Tema", "主题"),
    "auto": ("تلقائي", "automatisch", "automático", "auto", "automatico", "自動", "automático", "自动"),
    "light": ("فاتح", "hell", "claro", "clair", "chiaro", "ライト", "claro", "浅色"),
    "dark": ("داكن", "dunkel", "oscuro", "sombre", "scuro", "ダーク", "escuro", "深色"),
    "Language": ("اللغة", "Sprache", "Idioma", "Langue", "Lingua", "言語", "Idioma", "语言"),
    "Previous": ("السابق", "Zurück", "Anterior", "Précédent", "Precedente", "前へ", "Anterior", "上一幅"),
    "Next": ("التالي", "Weiter", "Siguiente", "Suivant", "Successivo", "次へ", "Próximo", "下一幅"),
    "Copy id": (
        "نسخ المعرّف", "ID kopieren", "Copiar ID", "Copier l’identifiant", "Copia ID", "IDをコピー", "Copiar ID",
        "复制 ID",
    ),
    "Copy Markdown": (
        "نسخ Markdown", "Markdown kopieren", "Copiar Markdown", "Copier en Markdown", "Copia Markdown",
        "Markdownをコピー", "Copiar Markdown", "复制 Markdown",
    ),
    "Close": ("إغلاق", "Schließen", "Cerrar", "Fermer", "Chiudi", "閉じる", "Fechar", "关闭"),
    "Copied {0}": (
        "تم نسخ {0}", "{0} kopiert", "Copiado: {0}", "Copié : {0}", "Copiato: {0}", "{0}をコピーしました",
        "Copiado: {0}", "已复制 {0}",
    ),
    "No figure has all of these words.": (
        "لا يوجد شكل يحتوي على كل هذه الكلمات.", "Keine Abbildung enthält alle diese Wörter.",
        "Ninguna figura contiene todas estas palabras.", "Aucune figure ne contient tous ces mots.",
        "Nessuna figura contiene tutte queste parole.", "これらの語句をすべて含む図はありません。",
        "Nenhuma figura contém todas essas palavras.", "没有包含所有这些词的图。",
    ),
    "1 warning": (
        "تحذير واحد", "1 Warnung", "1 advertencia", "1 avertissement", "1 avviso", "警告1件", "1 aviso", "1 条警告",
    ),
    "{0} warnings": (
        "عدد التحذيرات: {0}", "{0} Warnungen", "{0} advertencias", "{0} avertissements", "{0} avvisi",
        "警告{0}件", "{0} avisos", "{0} 条警告",
    ),
    "Warnings of the build": (
        "تحذيرات الإنشاء", "Warnungen des Builds", "Advertencias de la compilación",
        "Avertissements de la génération", "Avvisi della compilazione", "ビルドの警告", "Avisos da compilação",
        "构建警告",
    ),
    "stale": ("قديم", "veraltet", "desactualizada", "obsolète", "non aggiornata", "未更新", "desatualizada", "已过时"),
    "current": ("محدّث", "aktuell", "actualizada", "à jour", "aggiornata", "最新", "atualizada", "最新"),
    "1 fact": ("قيمة واحدة", "1 Kennwert", "1 valor", "1 valeur", "1 valore", "値1件", "1 valor", "1 个数值"),
    "{0} facts": (
        "عدد القيم: {0}", "{0} Kennwerte", "{0} valores", "{0} valeurs", "{0} valori", "値{0}件", "{0} valores",
        "{0} 个数值",
    ),
    "1 row": ("صف واحد", "1 Zeile", "1 fila", "1 ligne", "1 riga", "1行", "1 linha", "1 行"),
    "{0} rows": (
        "عدد الصفوف: {0}", "{0} Zeilen", "{0} filas", "{0} lignes", "{0} righe", "{0}行", "{0} linhas", "{0} 行",
    ),
    "In other languages:": (
        "بلغات أخرى:", "In anderen Sprachen:", "En otros idiomas:", "Dans d’autres langues :", "In altre lingue:",
        "他の言語：", "Em outros idiomas:", "其他语言：",
    ),
}  # fmt: skip

# Of the pages of serve.
PAGES: Mapping[str, tuple[str, ...]] = {
    "System": ("النظام", "System", "Sistema", "Système", "Sistema", "システム", "Sistema", "跟随系统"),
    "Light": ("فاتح", "Hell", "Claro", "Clair", "Chiaro", "ライト", "Claro", "浅色"),
    "Dark": ("داكن", "Dunkel", "Oscuro", "Sombre", "Scuro", "ダーク", "Escuro", "深色"),
    "Both": ("كلاهما", "Beide", "Ambos", "Les deux", "Entrambi", "両方", "Ambos", "两者"),
    "Being built…": (
        "جارٍ الإنشاء…", "Wird erzeugt …", "Generando…", "Génération en cours…", "Generazione in corso…",
        "ビルド中…", "Gerando…", "正在构建…",
    ),
    "{0} failed": (
        "فشل: {0}", "{0} fehlgeschlagen", "con errores: {0}", "en échec : {0}", "non riuscite: {0}", "失敗{0}点",
        "com falha: {0}", "{0} 幅失败",
    ),
    "{0} has failed": (
        "فشل {0}", "{0} ist fehlgeschlagen", "{0} ha fallado", "{0} a échoué", "{0} non è riuscita",
        "{0}は失敗しました", "{0} falhou", "{0} 失败",
    ),
    "Below: its last good picture.": (
        "في الأسفل: آخر صورة صحيحة له.", "Darunter: das letzte gelungene Bild.",
        "Debajo: su última imagen correcta.", "Ci-dessous : sa dernière image correcte.",
        "Sotto: l’ultima immagine corretta.", "下は、最後に成功した画像です。", "Abaixo: sua última imagem correta.",
        "下方为上一次成功的图片。",
    ),
    "{0}, large": (
        "{0}، بحجم كبير", "{0}, groß", "{0}, en grande", "{0}, en grand", "{0}, ingrandita", "{0}（大きく表示）",
        "{0}, ampliada", "{0}（大图）",
    ),
    "None.": ("لا شيء.", "Keine.", "Ninguna.", "Aucune.", "Nessuno.", "なし。", "Nenhum.", "无。"),
    "It states none.": (
        "لا يذكر أيًّا منها.", "Sie nennt keine.", "No indica ninguno.", "Elle n’en indique aucune.",
        "Non ne indica.", "値はありません。", "Ela não informa nenhum.", "此图未给出数值。",
    ),
    "Not here": (
        "غير موجود", "Nicht gefunden", "No encontrado", "Introuvable", "Non trovato", "見つかりません",
        "Não encontrado", "未找到",
    ),
    "All figures": (
        "كل الأشكال", "Alle Abbildungen", "Todas las figuras", "Toutes les figures", "Tutte le figure",
        "すべての図", "Todas as figuras", "所有图",
    ),
    "There is no longer a figure of that name.": (
        "لم يعد هناك شكل بهذا الاسم.", "Eine Abbildung dieses Namens gibt es nicht mehr.",
        "Ya no hay ninguna figura con ese nombre.", "Il n’y a plus de figure de ce nom.",
        "Non c’è più una figura con questo nome.", "この名前の図はもうありません。",
        "Não há mais uma figura com esse nome.", "已没有这个名称的图。",
    ),
    "There is no figure “{0}” in this book.": (
        "لا يوجد شكل «{0}» في هذا الكتاب.", "In diesem Buch gibt es keine Abbildung „{0}“.",
        "No hay ninguna figura «{0}» en este libro.", "Il n’y a pas de figure « {0} » dans ce livre.",
        "In questo libro non c’è una figura «{0}».", "この本に図「{0}」はありません。",
        "Não há uma figura “{0}” neste livro.", "本书中没有图“{0}”。",
    ),
    "No figure of this book comes from a file of that name.": (
        "لا يأتي أي شكل في هذا الكتاب من ملف بهذا الاسم.",
        "Keine Abbildung dieses Buchs stammt aus einer Datei dieses Namens.",
        "Ninguna figura de este libro procede de un archivo con ese nombre.",
        "Aucune figure de ce livre ne vient d’un fichier de ce nom.",
        "Nessuna figura di questo libro proviene da un file con questo nome.",
        "この名前のファイルから作られた図は、この本にはありません。",
        "Nenhuma figura deste livro vem de um arquivo com esse nome.", "本书中没有图来自这个名称的文件。",
    ),
    "There is no such file.": (
        "لا يوجد ملف كهذا.", "Diese Datei gibt es nicht.", "No existe ese archivo.", "Ce fichier n’existe pas.",
        "Questo file non esiste.", "このファイルはありません。", "Esse arquivo não existe.", "没有这个文件。",
    ),
    "There is no such language.": (
        "لا توجد هذه اللغة.", "Diese Sprache gibt es nicht.", "No existe ese idioma.",
        "Cette langue n’existe pas.", "Questa lingua non esiste.", "この言語はありません。",
        "Esse idioma não existe.", "没有这种语言。",
    ),
    "up to date": (
        "محدّث", "aktuell", "actualizada", "à jour", "aggiornata", "最新", "atualizada", "最新",
    ),
    "being drawn": (
        "قيد الرسم", "wird gezeichnet", "dibujándose", "en cours de dessin", "in elaborazione", "描画中",
        "sendo desenhada", "正在绘制",
    ),
    "failed": ("فشل", "fehlgeschlagen", "con errores", "en échec", "non riuscita", "失敗", "com falha", "失败"),
    "Parameters": (
        "المعاملات", "Parameter", "Parámetros", "Paramètres", "Parametri", "パラメーター", "Parâmetros", "参数",
    ),
    "Nothing yet.": (
        "لا شيء بعد.", "Noch nichts.", "Todavía nada.", "Rien pour l’instant.", "Ancora niente.", "まだありません。",
        "Nada ainda.", "暂无。",
    ),
    "Facts": ("القيم", "Kennwerte", "Valores", "Valeurs", "Valori", "値", "Valores", "数值"),
    "Expected": ("المتوقع", "Erwartet", "Esperado", "Attendu", "Atteso", "期待値", "Esperado", "预期"),
    "Findings": (
        "الملاحظات", "Befunde", "Observaciones", "Constats", "Rilievi", "検査の指摘", "Observações", "检查结果",
    ),
    "What a reader hears and reads": (
        "ما يسمعه القارئ ويقرؤه", "Was man hört und liest", "Lo que se oye y se lee",
        "Ce que l’on entend et lit", "Ciò che si sente e si legge", "読み上げと表示のテキスト",
        "O que se ouve e se lê", "读者听到和读到的内容",
    ),
    "Read from": (
        "مصادر الشكل", "Gelesen aus", "Leído de", "Lu depuis", "Letto da", "読み込み元", "Lido de", "读取自",
    ),
    "Why it was last built": (
        "سبب آخر إنشاء", "Warum zuletzt erzeugt", "Por qué se generó por última vez",
        "Raison de la dernière génération", "Motivo dell’ultima generazione", "前回ビルドした理由",
        "Por que foi gerada pela última vez", "上次构建的原因",
    ),
    "What its script printed": (
        "ما طبعه البرنامج", "Ausgabe des Skripts", "Salida del script", "Sortie du script", "Output dello script",
        "スクリプトの出力", "Saída do script", "脚本的输出",
    ),
    "Squeezed in a wider font": (
        "نص يُضغط إذا كان الخط أعرض", "In breiteren Schriften gestaucht", "Se comprime con una fuente más ancha",
        "Comprimé si la police est plus large", "Compresso con un carattere più largo",
        "幅広のフォントで詰められる文字", "Comprimido com uma fonte mais larga", "较宽字体下会被压缩的文字",
    ),
    "In a page": (
        "في صفحة", "In einer Seite", "En una página", "Dans une page", "In una pagina", "ページでの書き方",
        "Em uma página", "在页面中使用",
    ),
    "any other page": (
        "أي صفحة أخرى", "jede andere Seite", "cualquier otra página", "toute autre page",
        "qualsiasi altra pagina", "その他のページ", "qualquer outra página", "其他任何页面",
    ),
    "Picture": ("الصورة", "Bild", "Imagen", "Image", "Immagine", "画像", "Imagem", "图片"),
    "No picture yet.": (
        "لا توجد صورة بعد.", "Noch kein Bild.", "Todavía no hay imagen.", "Pas encore d’image.",
        "Ancora nessuna immagine.", "画像はまだありません。", "Ainda não há imagem.", "尚无图片。",
    ),
    "Smaller": ("تصغير", "Verkleinern", "Reducir", "Réduire", "Riduci", "縮小", "Reduzir", "缩小"),
    "Larger": ("تكبير", "Vergrößern", "Ampliar", "Agrandir", "Ingrandisci", "拡大", "Ampliar", "放大"),
    "Fit": ("ملاءمة", "Einpassen", "Ajustar", "Ajuster", "Adatta", "合わせる", "Ajustar", "适应"),
    "Fit the width": (
        "ملاءمة العرض", "An Breite anpassen", "Ajustar al ancho", "Ajuster à la largeur", "Adatta alla larghezza",
        "幅に合わせる", "Ajustar à largura", "适应宽度",
    ),
    "Own size": (
        "الحجم الأصلي", "Originalgröße", "Tamaño original", "Taille d’origine", "Dimensioni originali",
        "原寸大", "Tamanho original", "原始大小",
    ),
    "The light picture: + and - zoom, arrows move": (
        "الصورة الفاتحة: ‎+ و‎- للتكبير والتصغير، والأسهم للتحريك",
        "Das helle Bild: + und - zoomen, Pfeiltasten verschieben",
        "La imagen clara: + y - cambian el tamaño, las flechas desplazan",
        "L’image claire : + et - pour zoomer, flèches pour déplacer",
        "L’immagine chiara: + e - per lo zoom, frecce per spostare",
        "ライト版の画像：+と-で拡大・縮小、矢印キーで移動",
        "A imagem clara: + e - alteram o zoom, as setas movem", "浅色图片：按 + 和 - 缩放，按方向键移动",
    ),
    "The dark picture: + and - zoom, arrows move": (
        "الصورة الداكنة: ‎+ و‎- للتكبير والتصغير، والأسهم للتحريك",
        "Das dunkle Bild: + und - zoomen, Pfeiltasten verschieben",
        "La imagen oscura: + y - cambian el tamaño, las flechas desplazan",
        "L’image sombre : + et - pour zoomer, flèches pour déplacer",
        "L’immagine scura: + e - per lo zoom, frecce per spostare",
        "ダーク版の画像：+と-で拡大・縮小、矢印キーで移動",
        "A imagem escura: + e - alteram o zoom, as setas movem", "深色图片：按 + 和 - 缩放，按方向键移动",
    ),
    "the text “{0}”": (
        "النص «{0}»", "der Text „{0}“", "el texto «{0}»", "le texte « {0} »", "il testo «{0}»",
        "テキスト「{0}」", "o texto “{0}”", "文字“{0}”",
    ),
    "Nothing.": ("لا شيء.", "Nichts.", "Nada.", "Rien.", "Niente.", "なし。", "Nada.", "无。"),
    "Not known: the figure has failed.": (
        "غير معروف: فشل الشكل.", "Unbekannt: Die Abbildung ist fehlgeschlagen.",
        "Se desconoce: la figura ha fallado.", "Inconnu : la figure a échoué.",
        "Non noto: la figura non è riuscita.", "不明：この図は失敗しました。", "Desconhecido: a figura falhou.",
        "未知：此图失败。",
    ),
    "The figure has all of it.": (
        "الشكل يحقق كل ذلك.", "Die Abbildung erfüllt alles.", "La figura lo cumple todo.",
        "La figure y répond entièrement.", "La figura soddisfa tutto.", "この図はすべてを満たしています。",
        "A figura atende a tudo.", "此图全部符合。",
    ),
    "Alternative text": (
        "النص البديل", "Alternativtext", "Texto alternativo", "Texte alternatif", "Testo alternativo",
        "代替テキスト", "Texto alternativo", "替代文本",
    ),
    "Caption": (
        "التعليق", "Bildunterschrift", "Pie de figura", "Légende", "Didascalia", "キャプション", "Legenda", "图注",
    ),
    "none": ("لا شيء", "keine", "ninguno", "aucune", "nessuna", "なし", "nenhuma", "无"),
    "It was up to date when this server began.": (
        "كان محدّثًا عند بدء هذا الخادم.", "Sie war aktuell, als dieser Server startete.",
        "Estaba actualizada cuando se inició este servidor.", "Elle était à jour au démarrage de ce serveur.",
        "Era aggiornata all’avvio di questo server.", "このサーバーの起動時には最新でした。",
        "Estava atualizada quando este servidor foi iniciado.", "此服务器启动时它已是最新。",
    ),
    "Copy": ("نسخ", "Kopieren", "Copiar", "Copier", "Copia", "コピー", "Copiar", "复制"),
    "Copied": ("تم النسخ", "Kopiert", "Copiado", "Copié", "Copiato", "コピーしました", "Copiado", "已复制"),
    "Reset": (
        "إعادة الضبط", "Zurücksetzen", "Restablecer", "Réinitialiser", "Ripristina", "リセット", "Redefinir", "重置",
    ),
    "Copy link": (
        "نسخ الرابط", "Link kopieren", "Copiar enlace", "Copier le lien", "Copia link", "リンクをコピー",
        "Copiar link", "复制链接",
    ),
    "Write to YAML…": (
        "الكتابة إلى YAML…", "In YAML schreiben …", "Escribir en YAML…", "Écrire dans le YAML…", "Scrivi in YAML…",
        "YAMLに書き込む…", "Gravar no YAML…", "写入 YAML…",
    ),
    "New question…": (
        "سؤال جديد…", "Neue Frage …", "Nueva pregunta…", "Nouvelle question…", "Nuova domanda…", "新しい問い…",
        "Nova pergunta…", "新问题…",
    ),
    "Cancel": ("إلغاء", "Abbrechen", "Cancelar", "Annuler", "Annulla", "キャンセル", "Cancelar", "取消"),
    "Undo": ("تراجع", "Rückgängig", "Deshacer", "Annuler l’écriture", "Annulla la scrittura", "元に戻す",
             "Desfazer", "撤销"),
    "Messages about the picture": (
        "رسائل عن الصورة", "Meldungen zum Bild", "Mensajes sobre la imagen", "Messages sur l’image",
        "Messaggi sull’immagine", "画像に関するメッセージ", "Mensagens sobre a imagem", "关于图片的消息",
    ),
    "Its id": ("معرّفه", "Ihre ID", "Su ID", "Son identifiant", "Il suo ID", "ID", "Seu ID", "其 ID"),
    "Write": ("كتابة", "Schreiben", "Escribir", "Écrire", "Scrivi", "書き込む", "Gravar", "写入"),
    "What changes": (
        "ما سيتغير", "Was sich ändert", "Qué cambia", "Ce qui change", "Che cosa cambia", "変更内容", "O que muda",
        "更改内容",
    ),
    "computed": ("محسوب", "berechnet", "calculado", "calculé", "calcolato", "計算値", "calculado", "计算得出"),
    "Set only in the question": (
        "يُضبط في السؤال فقط", "Nur in der Frage festgelegt", "Solo se fija en la pregunta",
        "Défini seulement dans la question", "Impostati solo nella domanda", "問いの中でのみ設定",
        "Definidos apenas na pergunta", "仅在问题中设置",
    ),
    "set {0}": (
        "ضبط {0}", "{0} festlegen", "fijar {0}", "définir {0}", "imposta {0}", "{0}を設定", "definir {0}",
        "设置 {0}",
    ),
}  # fmt: skip

# Of the scripts of serve.
SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "The server does not answer.": (
        "الخادم لا يستجيب.", "Der Server antwortet nicht.", "El servidor no responde.", "Le serveur ne répond pas.",
        "Il server non risponde.", "サーバーが応答しません。", "O servidor não responde.", "服务器没有响应。",
    ),
    "This page is of another server: open the address that `figmill serve` printed.": (
        "هذه الصفحة من خادم آخر: افتح العنوان الذي طبعه ‎`figmill serve`‎.",
        "Diese Seite gehört zu einem anderen Server: Öffnen Sie die Adresse, die `figmill serve` ausgegeben hat.",
        "Esta página es de otro servidor: abra la dirección que mostró `figmill serve`.",
        "Cette page vient d’un autre serveur : ouvrez l’adresse que `figmill serve` a affichée.",
        "Questa pagina è di un altro server: apri l’indirizzo mostrato da `figmill serve`.",
        "このページは別のサーバーのものです。`figmill serve`が表示したアドレスを開いてください。",
        "Esta página é de outro servidor: abra o endereço que `figmill serve` mostrou.",
        "此页面属于另一个服务器：请打开 `figmill serve` 显示的地址。",
    ),
    "This figure is gone from the book.": (
        "لم يعد هذا الشكل في الكتاب.", "Diese Abbildung ist nicht mehr im Buch.",
        "Esta figura ya no está en el libro.", "Cette figure n’est plus dans le livre.",
        "Questa figura non è più nel libro.", "この図は本から削除されました。", "Esta figura não está mais no livro.",
        "此图已不在本书中。",
    ),
    "1 expectation is not met.": (
        "لم يتحقق توقع واحد.", "1 Erwartung ist nicht erfüllt.", "No se cumple 1 expectativa.",
        "1 attente n’est pas satisfaite.", "1 attesa non è soddisfatta.", "期待値1件を満たしていません。",
        "1 expectativa não é atendida.", "1 项预期未满足。",
    ),
    "{0} expectations are not met.": (
        "عدد التوقعات التي لم تتحقق: {0}.", "{0} Erwartungen sind nicht erfüllt.",
        "No se cumplen {0} expectativas.", "{0} attentes ne sont pas satisfaites.",
        "{0} attese non sono soddisfatte.", "期待値{0}件を満たしていません。", "{0} expectativas não são atendidas.",
        "{0} 项预期未满足。",
    ),
    "Drawing, {0} s": (
        "جارٍ الرسم، {0} ث", "Wird gezeichnet, {0} s", "Dibujando, {0} s", "Dessin en cours, {0} s",
        "Disegno in corso, {0} s", "描画中、{0}秒", "Desenhando, {0} s", "正在绘制，{0} 秒",
    ),
    "Cancelled: the controls show what the picture shows.": (
        "أُلغي: تُظهر عناصر التحكم ما تُظهره الصورة.",
        "Abgebrochen: Die Regler zeigen, was das Bild zeigt.",
        "Cancelado: los controles muestran lo que muestra la imagen.",
        "Annulé : les commandes indiquent ce que montre l’image.",
        "Annullato: i controlli mostrano ciò che mostra l’immagine.",
        "キャンセルしました。操作部は画像と同じ値を示しています。",
        "Cancelado: os controles mostram o que a imagem mostra.", "已取消：控件显示的值与图片一致。",
    ),
    "The link is copied.": (
        "تم نسخ الرابط.", "Der Link ist kopiert.", "El enlace se ha copiado.", "Le lien est copié.",
        "Il link è copiato.", "リンクをコピーしました。", "O link foi copiado.", "链接已复制。",
    ),
    "The address says {0}; {1}. The question's value is shown.": (
        "يذكر العنوان {0}؛ {1}. تُعرض قيمة السؤال.", "Die Adresse nennt {0}; {1}. Gezeigt wird der Wert der Frage.",
        "La dirección indica {0}; {1}. Se muestra el valor de la pregunta.",
        "L’adresse indique {0} ; {1}. La valeur de la question est affichée.",
        "L’indirizzo indica {0}; {1}. È mostrato il valore della domanda.",
        "アドレスの値は{0}ですが、{1}。問いの値を表示しています。",
        "O endereço indica {0}; {1}. O valor da pergunta é mostrado.", "地址中为 {0}；{1}。显示的是问题中的值。",
    ),
    "{0} must be {1}": (
        "يجب أن يكون {0} {1}", "{0} muss {1} sein", "{0} debe ser {1}", "{0} doit être {1}", "{0} deve essere {1}",
        "{0}は{1}でなければなりません", "{0} deve ser {1}", "{0} 必须是{1}",
    ),
    "{0} or {1}": (
        "{0} أو {1}", "{0} oder {1}", "{0} o {1}", "{0} ou {1}", "{0} o {1}", "{0}または{1}", "{0} ou {1}",
        "{0} 或 {1}",
    ),
    "true or false": (
        "true أو false", "true oder false", "true o false", "true ou false", "true o false", "trueまたはfalse",
        "true ou false", "true 或 false",
    ),
    "a text": ("نصًا", "ein Text", "un texto", "un texte", "un testo", "テキスト", "um texto", "文本"),
    "a number": ("عددًا", "eine Zahl", "un número", "un nombre", "un numero", "数値", "um número", "数字"),
    "a whole number": (
        "عددًا صحيحًا", "eine ganze Zahl", "un número entero", "un nombre entier", "un numero intero", "整数",
        "um número inteiro", "整数",
    ),
    "{0} from {1} to {2}": (
        "{0} من {1} إلى {2}", "{0} von {1} bis {2}", "{0} de {1} a {2}", "{0} de {1} à {2}", "{0} da {1} a {2}",
        "{1}から{2}までの{0}", "{0} de {1} a {2}", "{1} 到 {2} 的{0}",
    ),
    "{0} of at least {1}": (
        "{0} لا يقل عن {1}", "{0} ab {1}", "{0} de al menos {1}", "{0} d’au moins {1}", "{0} di almeno {1}",
        "{1}以上の{0}", "{0} de no mínimo {1}", "不小于 {1} 的{0}",
    ),
    "{0} of at most {1}": (
        "{0} لا يزيد على {1}", "{0} bis {1}", "{0} de como máximo {1}", "{0} d’au plus {1}", "{0} di al massimo {1}",
        "{1}以下の{0}", "{0} de no máximo {1}", "不大于 {1} 的{0}",
    ),
    "No words.": (
        "لا كلمات.", "Keine Wörter.", "Ninguna palabra.", "Aucun mot.", "Nessuna parola.", "該当なし。",
        "Nenhuma palavra.", "无。",
    ),
    "A new question": (
        "سؤال جديد", "Eine neue Frage", "Una pregunta nueva", "Une nouvelle question", "Una nuova domanda",
        "新しい問い", "Uma nova pergunta", "新问题",
    ),
    "Write to the question": (
        "الكتابة إلى السؤال", "In die Frage schreiben", "Escribir en la pregunta", "Écrire dans la question",
        "Scrivi nella domanda", "問いに書き込む", "Gravar na pergunta", "写入问题",
    ),
    "The question says so already: there is nothing to write.": (
        "السؤال يذكر ذلك بالفعل: لا شيء لكتابته.", "Das steht schon in der Frage: Es gibt nichts zu schreiben.",
        "La pregunta ya lo dice: no hay nada que escribir.",
        "La question le dit déjà : il n’y a rien à écrire.", "La domanda lo dice già: non c’è nulla da scrivere.",
        "問いはすでにその内容です。書き込むものはありません。",
        "A pergunta já diz isso: não há nada a gravar.", "问题中已是如此：没有可写入的内容。",
    ),
    "Something else is drawn just now; try again.": (
        "يُرسم شيء آخر الآن؛ حاول مرة أخرى.", "Gerade wird etwas anderes gezeichnet; versuchen Sie es noch einmal.",
        "Se está dibujando otra cosa; inténtelo de nuevo.", "Autre chose est en cours de dessin ; réessayez.",
        "Si sta disegnando qualcos’altro; riprova.", "ほかの図を描画中です。もう一度お試しください。",
        "Outra coisa está sendo desenhada; tente novamente.", "正在绘制其他内容；请重试。",
    ),
    "What would change is being worked out…": (
        "يجري تحديد ما سيتغير…", "Die Änderung wird ermittelt …", "Calculando qué cambiaría…",
        "Calcul de ce qui changerait…", "Calcolo di ciò che cambierebbe…", "変更内容を調べています…",
        "Calculando o que mudaria…", "正在计算将要更改的内容…",
    ),
    "{0} is written.": (
        "كُتب {0}.", "{0} ist geschrieben.", "Se ha escrito {0}.", "{0} est écrit.", "{0} è stato scritto.",
        "{0}に書き込みました。", "{0} foi gravado.", "已写入 {0}。",
    ),
    "{0} is as it was.": (
        "عاد {0} كما كان.", "{0} ist wieder wie vorher.", "{0} está como antes.", "{0} est comme avant.",
        "{0} è come prima.", "{0}を元に戻しました。", "{0} está como antes.", "{0} 已恢复原样。",
    ),
}  # fmt: skip

ROWS: Mapping[str, tuple[str, ...]] = MappingProxyType({**GALLERY, **PAGES, **SCRIPTS})


def words(texts: Mapping[str, tuple[str, ...]], language: str) -> Mapping[str, str]:
    """English -> a language of LANGUAGES; empty for any other."""
    if language not in LANGUAGES:
        return {}
    at = LANGUAGES.index(language)
    return {english: row[at] for english, row in texts.items()}
